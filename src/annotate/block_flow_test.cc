#include "annotate/block_flow.h"

#include <gtest/gtest.h>

namespace pgokit::annotate {
namespace {

using Counts = std::vector<std::optional<u64>>;

// Blocks with the ids 10, 11, ..., which lead to blocks of these numbers.
block_map::Function function(const std::vector<std::vector<u32>>& successors) {
  block_map::Function function;
  function.addresses = {0x1000};
  function.columns.first_successor.push_back(0);
  for (u32 i = 0; i < successors.size(); ++i) {
    function.blocks.push_back({.id = 10 + i, .offset = 16 * i, .size = 16});
    for (u32 to : successors[i]) function.columns.successors.push_back(10 + to);
    function.columns.first_successor.push_back(
        static_cast<u32>(function.columns.successors.size()));
  }
  return function;
}

TEST(BlockFlow, WhatComesInGoesOut) {
  // 0 -> 1 or 2 -> 3
  auto diamond = function({{1, 2}, {3}, {3}, {}});
  BlockFlow flow(diamond, Counts{100, 30, {}, {}});
  EXPECT_EQ(flow.edge(0, 0), 30u);
  EXPECT_EQ(flow.edge(0, 1), 70u);
  EXPECT_EQ(flow.block(2), 70u);
  EXPECT_EQ(flow.block(3), 100u);
  EXPECT_EQ(flow.predecessors()[0], 1u);
  EXPECT_EQ(flow.predecessors()[3], 2u);
}

TEST(BlockFlow, ABlockThatIsEnteredFromElsewhereTellsNoWay) {
  // 0 -> 1 or 2; 1 -> 2 or 3; 2 -> 3
  auto joined = function({{1, 2}, {2, 3}, {3}, {}});
  BlockFlow flow(joined, Counts{{}, {}, 60, 100});
  EXPECT_EQ(flow.edge(1, 1), 40u);
  EXPECT_EQ(flow.edge(0, 1), std::nullopt);
  BlockFlow known(joined, Counts{100, {}, 60, {}});
  EXPECT_EQ(known.edge(0, 0), std::nullopt);
}

TEST(BlockFlow, CallsOfTheFunctionComeIntoItsFirstBlock) {
  auto loop = function({{1}, {0, 2}, {}});
  BlockFlow flow(loop, Counts{100, {}, {}});
  EXPECT_EQ(flow.edge(0, 0), 100u);
  EXPECT_EQ(flow.edge(1, 0), std::nullopt);
}

TEST(BlockFlow, CountsThatContradictEachOtherTellNothing) {
  auto diamond = function({{1, 2}, {3}, {3}, {}});
  EXPECT_EQ(BlockFlow(diamond, Counts{100, 200, {}, {}}).edge(0, 1), std::nullopt);
  EXPECT_EQ(BlockFlow(diamond, Counts{100, 110, {}, {}}).edge(0, 1), 0u);
}

TEST(BlockFlow, DamagedMapsAreTaken) {
  // Ways to nowhere, to itself, and twice the same.
  auto damaged = function({{7, 0}, {1, 1}, {}});
  BlockFlow flow(damaged, Counts{5, 6, {}});
  EXPECT_EQ(flow.edge(0, 0), std::nullopt);
  EXPECT_EQ(flow.edge(1, 1), std::nullopt);
  EXPECT_EQ(BlockFlow(block_map::Function{}, Counts{}).predecessors().size(), 0u);
}

}  // namespace
}  // namespace pgokit::annotate
