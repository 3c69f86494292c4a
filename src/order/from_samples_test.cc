#include "order/from_samples.h"

#include <gmock/gmock.h>

#include "order/symbols.h"
#include "perf/test_recordings.h"
#include "test/support/shell.h"
#include "test/support/tiny_program.h"

namespace pgokit::order {
namespace {

using testing::IsEmpty;
using testing::UnorderedElementsAre;

constexpr u64 user = perf::user_context_marker, kernel = perf::kernel_context_marker;

class FromSamples : public testing::Test {
 protected:
  void SetUp() override { dir_.write("tiny", test::tiny_program().image()); }

  // One sample with this address and call chain.
  void read(u64 ip, std::vector<u64> chain) {
    auto event = perf::test::branch_event();
    event.attr.sample_type = perf::field::ip | perf::field::tid | perf::field::time |
                             perf::field::callchain | perf::field::identifier;
    auto image = perf::test::recording({event}, [&](perf::Writer& writer) {
      perf::RecordId at{.pid = 7, .tid = 7, .time = 100, .id = 11};
      std::string_view id = "tiny build id here!!";
      writer.mmap2(at, {.start = 0x401000,
                        .size = 0x1000,
                        .file_offset = 0x1000,
                        .path = dir_.file("tiny"),
                        .build_id = as_bytes(id)});
      at.time = 110;
      writer.sample({.id = at, .ip = ip, .callchain = chain});
    });
    auto program = program::Program::open(dir_.file("tiny"), {});
    ASSERT_TRUE(program);
    ASSERT_TRUE(program->load_functions(1));
    LinkSymbols symbols;
    ASSERT_TRUE(symbols.add(dir_.file("tiny")));
    CutFacts cuts;
    auto facts = add_samples({image.data(), image.size()}, *program, symbols,
                             {.traces = true, .threads = 1}, model_, cuts);
    ASSERT_TRUE(facts) << facts.error().message;
    used_ = facts->used;
  }

  std::vector<std::string> calls() const {
    std::vector<std::string> list;
    for (const auto& call : model_.calls)
      list.push_back(fmt::format("{} -> {}", model_.name(call.from), model_.name(call.to)));
    return list;
  }
  std::vector<std::string> touched() const {
    std::vector<std::string> list;
    for (const auto& trace : model_.traces)
      for (u32 function : trace.functions) list.emplace_back(model_.name(function));
    return list;
  }
  u64 weight() const {
    u64 sum = 0;
    for (const auto& function : model_.functions) sum += function.weight;
    return sum;
  }

  test::ScratchDir dir_;
  Model model_;
  u64 used_ = 0;
};

TEST_F(FromSamples, TheFirstAddressOfAChainIsTheSamplesOwn) {
  read(0x401010, {user, 0x401010, 0x40100c});
  EXPECT_THAT(calls(), UnorderedElementsAre("main -> leaf"));
  EXPECT_EQ(weight(), 1u);
}

TEST_F(FromSamples, InTheKernelItIsWhereTheProgramWasLeft) {
  read(0xffffffff81000000, {kernel, 0xffffffff81000000, user, 0x401010, 0x40100c});
  EXPECT_THAT(calls(), UnorderedElementsAre("main -> leaf"));
  EXPECT_THAT(touched(), UnorderedElementsAre("main", "leaf"));
  EXPECT_EQ(weight(), 0u);  // it did not run then
  EXPECT_EQ(used_, 1u);
}

TEST_F(FromSamples, TheKernelAloneTellsNothing) {
  read(0xffffffff81000000, {kernel, 0xffffffff81000000});
  EXPECT_THAT(calls(), IsEmpty());
  EXPECT_THAT(touched(), IsEmpty());
  EXPECT_EQ(used_, 0u);
}

}  // namespace
}  // namespace pgokit::order
