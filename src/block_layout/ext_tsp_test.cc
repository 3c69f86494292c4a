#include "block_layout/ext_tsp.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <numeric>
#include <random>

namespace pgokit::block_layout {
namespace {

using testing::ElementsAre;

Graph graph_of(std::vector<Node> nodes, std::vector<Edge> edges) {
  return {.nodes = std::move(nodes), .edges = std::move(edges)};
}

double best_of_all(const Graph& graph) {
  std::vector<u32> order(graph.nodes.size());
  std::iota(order.begin(), order.end(), 0u);
  double best = 0;
  do {
    best = std::max(best, ext_tsp_score(graph, order));
  } while (std::next_permutation(order.begin() + 1, order.end()));
  return best;
}

TEST(ExtTspScore, WeighsFallThroughsAndJumps) {
  // 0 → 1 falls through and is one of two; 1 → 2 is the only one; 0 → 2 jumps over 4 bytes.
  auto graph = graph_of({{8, 10}, {4, 6}, {4, 10}}, {{0, 1, 6}, {0, 2, 4}, {1, 2, 6}});
  std::vector<u32> order{0, 1, 2};
  EXPECT_DOUBLE_EQ(ext_tsp_score(graph, order), 6 + 6 * 1.05 + 4 * 0.1 * (1 - 4 / 1024.0));
  // Backwards from the end of 2 to the begin of 0: 12 bytes.
  auto loop = graph_of({{8, 10}, {4, 10}}, {{0, 1, 10}, {1, 0, 9}});
  std::vector<u32> both{0, 1};
  EXPECT_DOUBLE_EQ(ext_tsp_score(loop, both), 10 * 1.05 + 9 * 0.1 * (1 - 12 / 640.0));
}

TEST(ExtTspScore, EndsWithTheReachOfJumps) {
  std::vector<u32> order{0, 1, 2};
  auto far = graph_of({{8, 1}, {1024, 1}, {4, 1}}, {{0, 2, 1}});
  EXPECT_EQ(ext_tsp_score(far, order), 0);
  far.nodes[1].size = 1023;
  EXPECT_GT(ext_tsp_score(far, order), 0);
  auto back = graph_of({{8, 1}, {600, 1}, {32, 1}}, {{2, 0, 1}});
  EXPECT_EQ(ext_tsp_score(back, order), 0);
  back.nodes[1].size = 599;
  EXPECT_GT(ext_tsp_score(back, order), 0);
  // A block that jumps to itself does so in every layout.
  EXPECT_EQ(ext_tsp_score(graph_of({{8, 1}}, {{0, 0, 9}}), std::vector<u32>{0}), 0);
}

TEST(ExtTspOrder, IsThatOfTheHotPath) {
  auto graph = graph_of({{10, 100}, {10, 10}, {10, 90}, {10, 100}},
                        {{0, 1, 10}, {0, 2, 90}, {1, 3, 10}, {2, 3, 90}});
  EXPECT_THAT(ext_tsp_order(graph), ElementsAre(0, 2, 3, 1));
  EXPECT_TRUE(ext_tsp_order({}).empty());
}

TEST(ExtTspOrder, TurnsLoopsAround) {
  // 1 is the head that tests, 2 the body: the body falls into the head, and the head out of the loop.
  auto graph = graph_of({{4, 1}, {4, 1000}, {16, 999}, {4, 1}},
                        {{0, 1, 1}, {1, 2, 999}, {1, 3, 1}, {2, 1, 999}});
  EXPECT_DOUBLE_EQ(ext_tsp_score(graph, ext_tsp_order(graph)), best_of_all(graph));
}

TEST(ExtTspOrder, KeepsTheEntryInFrontAndAllNodes) {
  auto graph = graph_of({{4, 0}, {4, 50}, {4, 70}, {4, 50}}, {{1, 3, 50}, {2, 0, 60}});
  auto order = ext_tsp_order(graph);
  EXPECT_EQ(order[0], 0u);
  std::ranges::sort(order);
  EXPECT_THAT(order, ElementsAre(0, 1, 2, 3));
}

// Random functions of up to eight blocks: the best of all orders is known.
TEST(ExtTspOrder, ComesNearTheBestOfSmallGraphs) {
  std::mt19937 random(7);
  auto number = [&](u32 end) { return static_cast<u32>(random() % end); };
  double found = 0, best = 0;
  int reached = 0;
  constexpr int rounds = 200;
  for (int round = 0; round < rounds; ++round) {
    Graph graph;
    u32 nodes = 4 + number(5);
    for (u32 n = 0; n < nodes; ++n) graph.nodes.push_back({1 + number(200), 0});
    for (u32 from = 0; from < nodes; ++from)
      for (u32 to = 1; to < nodes; ++to)
        if (number(4) == 0) graph.edges.push_back({from, to, 1 + number(1000)});
    for (const auto& edge : graph.edges) graph.nodes[edge.to].count += edge.count;
    double ours = ext_tsp_score(graph, ext_tsp_order(graph)), most = best_of_all(graph);
    EXPECT_LE(ours, most + 1e-6);
    found += ours;
    best += most;
    reached += ours >= most - 1e-6;
  }
  EXPECT_GT(found / best, 0.98);
  EXPECT_GT(reached, rounds / 2);
}

TEST(ExtTspOrder, HasAllOfManyBlocks) {
  std::mt19937 random(11);
  Graph graph;
  constexpr u32 nodes = 1500;
  for (u32 n = 0; n < nodes; ++n) graph.nodes.push_back({8, 1000});
  for (u32 n = 0; n + 1 < nodes; ++n) {
    u32 other = static_cast<u32>(random() % nodes);
    graph.edges.push_back({n, n + 1, 1 + random() % 1000});
    if (other != n + 1) graph.edges.push_back({n, other, 1 + random() % 1000});
  }
  auto order = ext_tsp_order(graph);
  std::ranges::sort(order);
  EXPECT_EQ(order.size(), nodes);
  EXPECT_EQ(std::ranges::unique(order).size(), 0u);
}

}  // namespace
}  // namespace pgokit::block_layout
