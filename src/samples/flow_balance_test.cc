#include "samples/flow_balance.h"

#include <gtest/gtest.h>

namespace pgokit::samples {
namespace {

// An if: blocks 0 (top), 1 (then), 2 (end); block i is the edge from node 2i to 2i+1.
std::vector<FlowEdge> branch(u64 top, u64 then, u64 end) {
  return {{0, 1, top, 10}, {2, 3, then, 10}, {4, 5, end, 10}, {1, 2, 0, 0},
          {1, 4, 0, 0},    {3, 4, 0, 0},     {6, 0, 0, 0},    {5, 6, 0, 0}};
}

TEST(EqualFlows, TopAndEndOfAnIfAreEqualAndItsSidesAreNot) {
  auto group = equal_flows(7, branch(1, 1, 1));
  EXPECT_EQ(group[0], group[2]);
  EXPECT_EQ(group[0], group[6]);
  EXPECT_EQ(group[1], group[3]);
  EXPECT_EQ(group[1], group[5]);
  EXPECT_NE(group[0], group[1]);
  EXPECT_NE(group[1], group[4]);
}

TEST(EqualFlows, ALoopIsNotEqualToWhatIsAroundIt) {
  // 0: entry, 1: loop that goes back to itself, 2: exit
  std::vector<FlowEdge> edges = {{0, 1, 0, 1}, {2, 3, 0, 1}, {4, 5, 0, 1}, {1, 2, 0, 0},
                                 {3, 2, 0, 0}, {3, 4, 0, 0}, {5, 6, 0, 0}, {6, 0, 0, 0}};
  auto group = equal_flows(7, edges);
  EXPECT_EQ(group[0], group[2]);
  EXPECT_NE(group[0], group[1]);
}

TEST(EqualFlows, WhatLeadsNowhereHasNoFlow) {
  std::vector<FlowEdge> edges = {{0, 1, 0, 1}, {1, 0, 0, 0}, {1, 2, 0, 0}};
  auto group = equal_flows(3, edges);
  EXPECT_EQ(group[2], 0u);
  EXPECT_NE(group[0], 0u);
}

TEST(BalanceFlows, SamplesOfEqualBlocksArePooled) {
  auto flow = balance_flows(7, branch(400, 100, 200));
  EXPECT_NEAR(flow[0], 30, 3);
  EXPECT_EQ(flow[0], flow[2]);
  EXPECT_NEAR(flow[1], 10, 2);
  EXPECT_NEAR(flow[4], flow[0] - flow[1], 0.5);  // the way past the then
}

TEST(BalanceFlows, AShortBlockWithoutSamplesGetsWhatFlowsThrough) {
  // two sides of one instruction each between blocks of 100 samples per instruction; one side has
  // none by chance
  std::vector<FlowEdge> edges = {{0, 1, 1000, 10}, {2, 3, 0, 1}, {4, 5, 20, 1}, {6, 7, 1000, 10},
                                 {1, 2, 0, 0},     {1, 4, 0, 0}, {3, 6, 0, 0},  {5, 6, 0, 0},
                                 {7, 8, 0, 0},     {8, 0, 0, 0}};
  auto flow = balance_flows(9, edges);
  EXPECT_NEAR(flow[1] + flow[2], flow[0], 1);
  EXPECT_GT(flow[0], 20);
}

TEST(BalanceFlows, WithoutEdgesThereIsNothing) {
  EXPECT_TRUE(balance_flows(0, {}).empty());
  EXPECT_TRUE(balance_flows(3, {}).empty());
}

TEST(BalanceFlows, BlocksOutOfWhichNothingLeadsKeepTheirSamples) {
  std::vector<FlowEdge> edges = {{0, 1, 50, 5}};
  EXPECT_EQ(balance_flows(2, edges)[0], 10);
}

}  // namespace
}  // namespace pgokit::samples
