#include "unwind/node_counts.h"

#include <gmock/gmock.h>

namespace pgokit::unwind {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// "node: range*count ... | branch*count ...".
std::string text(const NodeCounts& counts, u32 node) {
  auto line = fmt::format("{}:", node);
  for (const auto& [range, order, count] : counts.ranges())
    line += fmt::format(" {}*{}@{}", range, count, order);
  line += " |";
  for (const auto& [branch, order, count] : counts.branches())
    line += fmt::format(" {}*{}@{}", branch, count, order);
  return line;
}

// Steps of three ranges and two branches.
std::vector<std::string> read(const std::vector<NodeLog::Weighted>& entries, u32 first = 0) {
  constexpr u32 nodes = 4, none = Unwound::none;
  Unwound unwound;
  unwound.steps = {{0, 1}, {0, none}, {1, 0}, {2, 1}, {none, 0}};
  NodeLog log(true);
  for (const auto& [key, count, sample] : entries)
    log.add(static_cast<u32>(key >> 32), static_cast<u32>(key), count, sample);
  std::vector<u32> same{0, 1, 2, 3, 4};
  unwound.log = SortedLog({{&log, &same, &same, &same}}, nodes, 1);
  NodeCounts counts(unwound, first);
  std::vector<std::string> lines;
  for (u32 node = first; node < nodes; ++node)
    if (counts.read(node)) lines.push_back(text(counts, node));
  return lines;
}

TEST(NodeCounts, AStepIsARangeAndABranch) {
  EXPECT_THAT(read({{log_key(1, 2), 3, 4}}), ElementsAre("1: 1*3@4 | 0*3@4"));
  EXPECT_THAT(read({{log_key(1, 1), 3, 4}, {log_key(2, 4), 1, 0}}),
              ElementsAre("1: 0*3@4 |", "2: | 0*1@0"));
  EXPECT_THAT(read({}), IsEmpty());
}

TEST(NodeCounts, StepsOfOneRangeOrBranchAddUp) {
  EXPECT_THAT(read({{log_key(1, 3), 1, 4},
                    {log_key(1, 0), 10, 2},
                    {log_key(1, 1), 100, 3},
                    {log_key(1, 4), 1000, 1},
                    {log_key(2, 0), ~u64{0}, 1},
                    {log_key(2, 1), 1, 0}}),
              ElementsAre("1: 0*110@2 2*1@4 | 0*1000@1 1*11@2",
                          fmt::format("2: 0*{}@0 | 1*{}@1", ~u64{0}, ~u64{0})));
}

TEST(NodeCounts, BeginsAtAnyNode) {
  EXPECT_THAT(read({{log_key(1, 0), 1, 0}, {log_key(3, 2), 1, 0}}, 2),
              ElementsAre("3: 1*1@0 | 0*1@0"));
}

TEST(StepTable, StepsHaveOneNumberEach) {
  StepTable table;
  for (int twice = 0; twice < 2; ++twice)
    for (u32 i = 0; i < 1000; ++i) {
      EXPECT_EQ(table.id({i / 10, i % 10, 5}), 2 * i);
      EXPECT_EQ(table.id({i / 10, i % 10, outside}), 2 * i + 1);
    }
  EXPECT_EQ(table.steps().size(), 2000u);
  EXPECT_EQ(table.steps()[25], (Step{1, 2, outside}));
  EXPECT_FALSE(Step{}.has_range());
}

}  // namespace
}  // namespace pgokit::unwind
