#include "order/from_counts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/cursor.h"
#include "test/support/shell.h"
#include "test/support/tiny_program.h"

namespace pgokit::order {
namespace {

// main (0x401000 to 0x40100c) and leaf (0x401010), of one and two bytes behind each other.
class FromCounts : public testing::Test {
 protected:
  FromCounts() {
    test::ScratchDir scratch;
    scratch.write("program", image_);
    EXPECT_TRUE(symbols_.add(scratch.file("program")));
    symbols_.finish();
  }
  CountFacts add(const samples::Counts& counts, u64 weight = 1) {
    return add_counts(counts, code_, symbols_, weight, model_);
  }
  u64 weight_of(const char* name) const {
    auto function = model_.find(name);
    return function ? model_.functions[*function].weight : 0;
  }

  std::string image_ = test::tiny_program().image();
  object::File file_ = *object::File::parse(as_bytes(image_));
  program::CodeSymbols code_symbols_{file_};
  program::CodeMap code_ = *program::CodeMap::build(file_, code_symbols_);
  LinkSymbols symbols_;
  Model model_;
};

TEST_F(FromCounts, CallsAreBranchesToTheStartOfAnotherFunction) {
  auto facts = add({{},
                    {{samples::external, {0x401000}, 3},
                     {{0x401002}, {0x401007}, 9},  // within main
                     {{0x401007}, {0x401010}, 5},
                     {{0x40100c}, {0x401000}, 2},  // main again
                     {{0x401011}, {0x40100c}, 5},  // no start
                     {{0x40100c}, samples::external, 3}}},
                   10);
  EXPECT_EQ(facts.branches, 6U);
  EXPECT_EQ(facts.calls, 5U);
  EXPECT_THAT(model_.calls,
              testing::ElementsAre(Call{*model_.find("main"), *model_.find("leaf"), 50}));
}

TEST_F(FromCounts, WeightsAreInstructionsThatWereExecuted) {
  // test, je; test, je, add, call; ret; and leaf's nop and ret.
  auto facts = add({{{{0x401000}, {0x401002}, 2},
                     {{0x401000}, {0x401007}, 3},
                     {{0x40100c}, {0x40100c}, 5},
                     {{0x401010}, {0x401011}, 5}},
                    {}});
  EXPECT_EQ(weight_of("main"), 2U * 2 + 3 * 4 + 5);
  EXPECT_EQ(weight_of("leaf"), 5U * 2);
  EXPECT_EQ(facts.instructions, 31U);
  EXPECT_TRUE(model_.calls.empty());
}

TEST_F(FromCounts, OneRangeMayRunIntoTheNextFunction) {
  add({{{{0x401004}, {0x401011}, 2}}, {}});
  EXPECT_EQ(weight_of("main"), 6U);  // the nop between them is nobody's
  EXPECT_EQ(weight_of("leaf"), 4U);
}

TEST_F(FromCounts, WhateverIsCountedIsBounded) {
  constexpr u64 most = ~u64{0};
  auto facts = add({{{{0x401000}, {0x401002}, most}, {{0x401000}, {0x40100c}, most}, {{1}, {2}, 5}},
                    {{{0x401007}, {0x401010}, most}, {{0x401004}, {0x401010}, most}}},
                   3);
  EXPECT_EQ(facts.calls, most);
  ASSERT_EQ(model_.calls.size(), 1U);
  EXPECT_EQ(model_.calls[0].weight, most);
}

}  // namespace
}  // namespace pgokit::order
