#include "record/software/step_table.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <tuple>

namespace pgokit::record {
namespace {

TEST(StepTable, CountsEachStep) {
  StepTable table;
  std::map<std::tuple<u32, u32, u32>, u64> expected;
  std::mt19937 random(1);
  u32 before = StepTable::none;
  for (int i = 0; i < 100'000; ++i) {
    u32 node = random() % 3, branch = random() % 40;
    u32 start = before == StepTable::none ? 0 : table[before].branch;  // determined by that
    StepTable::Step step{node, start, branch};
    bool is_new = ++expected[{node, start, branch}] == 1;
    EXPECT_EQ(table.find(step) == StepTable::none, is_new);
    u32 at = before == StepTable::none ? StepTable::none : table.successor(before, branch, node);
    if (at == StepTable::none) {
      at = table.find_or_add(step);
      if (before != StepTable::none) table.follows(before, at);
    }
    table.count(at);
    before = at;
  }
  ASSERT_EQ(table.end(), expected.size());
  for (u32 at = 0; at < table.end(); ++at)
    EXPECT_EQ(table.count_of(at), (expected[{table[at].node, table[at].start, table[at].branch}]));
}

TEST(StepTable, CountsBeyond32Bits) {
  StepTable table;
  u32 at = table.find_or_add({1, 2, 3});
  for (int i = 0; i < 7; ++i) table.count(at, 1U << 31);
  for (int i = 0; i < 5; ++i) table.count(at);
  EXPECT_EQ(table.count_of(at), 7 * (u64{1} << 31) + 5);
}

}  // namespace
}  // namespace pgokit::record
