#include "order/from_instr.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/cursor.h"
#include "order/llvm_partition.h"

namespace pgokit::order {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::string_view profile = R"(:ir
:temporal_prof_traces
2
2
3
main,dir/a.c;local
1
local_caller,main
main
1
2
5
4
dir/a.c;local
2
1
7
local_caller
3
1
2
1
0
1
2
dir/a.c;local:6
** External Symbol **:1
never
4
1
0
)";

struct InstrCase {
  Model model;
  Cut cut;
  CutFacts cuts;
  Result<InstrFacts> add(std::string_view text, u64 weight = 1) {
    return add_instr_profile(as_bytes(text), {.weight = weight, .source = "p"}, cut, model, cuts);
  }
  std::vector<std::string> trace(size_t i) const {
    std::vector<std::string> names;
    for (u32 f : model.traces[i].functions) names.emplace_back(model.name(f));
    return names;
  }
};

TEST(InstrInputs, TracesCountersAndIndirectCallsAreTaken) {
  InstrCase t;
  auto facts = t.add(profile, 2);
  ASSERT_TRUE(facts) << facts.error().message;
  EXPECT_EQ(facts->traces, 2u);
  EXPECT_THAT(t.trace(0), ElementsAre("main", "local"));
  EXPECT_THAT(t.trace(1), ElementsAre("local_caller", "main"));
  EXPECT_EQ(t.model.traces[0].weight, 6u);
  EXPECT_FALSE(t.model.find("never"));
  u32 local = *t.model.find("local"), caller = *t.model.find("local_caller");
  EXPECT_EQ(t.model.functions[*t.model.find("main")].weight, 18u);
  EXPECT_THAT(t.model.calls, ElementsAre(Call{caller, local, 12}));
}

TEST(InstrInputs, StartUpIsCut) {
  InstrCase t;
  t.cut.function = "main";
  ASSERT_TRUE(t.add(profile));
  EXPECT_THAT(t.trace(0), ElementsAre("main"));
}

TEST(InstrInputs, WhatIsBrokenFails) {
  InstrCase t;
  auto facts = t.add(profile.substr(0, profile.size() - 6));
  ASSERT_FALSE(facts);
  EXPECT_THAT(facts.error().message, HasSubstr("truncated profile data"));
}

TEST(InstrInputs, LinkersKnowLocalFunctionsWithoutTheirFile) {
  EXPECT_EQ(linkage_name("dir/a.c;f"), "f");
  EXPECT_EQ(linkage_name("a.c:f"), "f");
  EXPECT_EQ(linkage_name("-[Shape area:of:]"), "-[Shape area:of:]");
  EXPECT_EQ(linkage_name("m.m;-[Shape area:of:]"), "-[Shape area:of:]");
  EXPECT_EQ(linkage_name("_Z1fv"), "_Z1fv");
}

// Orders of llvm-profdata 22; test/differential/instr.py compares many more.
TEST(LlvmPartition, PutsFunctionsAsLlvmDoes) {
  using Traces = std::vector<std::vector<u64>>;
  EXPECT_THAT(llvm_partition({}), IsEmpty());
  EXPECT_THAT(llvm_partition(Traces{{}, {}}), IsEmpty());
  EXPECT_THAT(llvm_partition(Traces{{4, 3, 2, 1}}), ElementsAre(4, 3, 2, 1));
  EXPECT_THAT(llvm_partition(Traces{{3, 4}, {1, 2}}), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(llvm_partition(Traces{{1, 2, 3, 4, 5}, {6}}), ElementsAre(6, 1, 2, 3, 4, 5));
  EXPECT_THAT(llvm_partition(Traces{{7, 7, 7}}), ElementsAre(7));
}

TEST(LlvmPartition, ThreadsDoNotShow) {
  std::vector<std::vector<u64>> traces(5);
  for (u64 i = 0; i < 3000; ++i) traces[i * i % 5].push_back(i * 7919 % 1001);
  EXPECT_EQ(llvm_partition(traces, 1), llvm_partition(traces, 8));
}

}  // namespace
}  // namespace pgokit::order
