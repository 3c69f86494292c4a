#include "plugin/blocks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "runtime/mip_format.h"

namespace pgokit::plugin {
namespace {

struct Random {
  std::mt19937 engine;
  uint32_t operator()() { return static_cast<uint32_t>(engine()); }
};

// Any graph: some blocks have no successors, some loops, some blocks are not reached.
Graph random_graph(Random& random, uint32_t size) {
  Graph graph;
  for (uint32_t block = 0; block < size; ++block) {
    auto& to = graph.successors.emplace_back();
    const uint32_t count = block + 1 == size ? 0 : random() % 4 == 0 ? 0 : 1 + random() % 2;
    for (uint32_t i = 0; i < count; ++i) {
      const uint32_t next = random() % 3 == 0
                                ? random() % size
                                : std::min<uint32_t>(size - 1, block + 1 + random() % 3);
      if (std::find(to.begin(), to.end(), next) == to.end()) to.push_back(next);
    }
    graph.frequency.push_back(random() % 100);
  }
  return graph;
}

// Walks from the entry to an exit, many times. False if a walk finds no exit.
bool walk(const Graph& graph, Random& random, uint32_t times, std::vector<uint64_t>& counts) {
  counts.assign(graph.size(), 0);
  for (uint32_t i = 0; i < times; ++i) {
    uint32_t block = 0;
    for (uint32_t steps = 0;; ++steps) {
      if (steps > 100000) return false;
      ++counts[block];
      if (graph.successors[block].empty()) break;
      block = graph.successors[block][random() % graph.successors[block].size()];
    }
  }
  return true;
}

std::vector<bool> infer(const Graph& graph, const Counters& counters,
                        const std::vector<uint64_t>& counts) {
  std::vector<bool> ran(graph.size());
  for (uint32_t block = 0; block < graph.size(); ++block)
    ran[block] = counters.of_block[block] < counters.count && counts[block];
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t block = 0; block < graph.size(); ++block) {
      for (const uint32_t to : graph.successors[block]) {
        if (counters.of_block[block] == MIP_FROM_SUCCESSORS && ran[to] && !ran[block])
          ran[block] = changed = true;
        if (counters.of_block[to] == MIP_FROM_PREDECESSORS && ran[block] && !ran[to])
          ran[to] = changed = true;
      }
    }
  }
  return ran;
}

TEST(Blocks, CoverageFollowsFromTheCounters) {
  Random random{std::mt19937(7)};
  uint32_t saved = 0;
  for (int round = 0; round < 3000; ++round) {
    const Graph graph = random_graph(random, 1 + random() % 20);
    const Counters counters = counters_of_coverage(graph);
    std::vector<uint64_t> counts;
    if (!walk(graph, random, 1 + random() % 4, counts)) continue;
    const std::vector<bool> ran = infer(graph, counters, counts);
    for (uint32_t block = 0; block < graph.size(); ++block)
      ASSERT_EQ(ran[block], counts[block] > 0) << round << ": " << block;
    saved += graph.size() - counters.count;
  }
  EXPECT_GT(saved, 3000u);
}

// Places where flow divides and joins, as the format describes them; solved by elimination of
// places with one unknown.
TEST(Blocks, CountsFollowFromTheCounters) {
  Random random{std::mt19937(11)};
  for (int round = 0; round < 3000; ++round) {
    const Graph graph = random_graph(random, 1 + random() % 20);
    const uint32_t size = graph.size();
    const Counters counters = counters_of_flow(graph);
    std::vector<uint64_t> counts;
    if (!walk(graph, random, 1 + random() % 50, counts)) continue;
    std::vector<uint32_t> place(2 * size);
    for (uint32_t i = 0; i < 2 * size; ++i) place[i] = i;
    const auto join = [&](uint32_t a, uint32_t b) {
      const uint32_t from = place[a], to = place[b];
      for (uint32_t& each : place) each = each == from ? to : each;
    };
    for (uint32_t block = 0; block < size; ++block) {
      for (const uint32_t to : graph.successors[block]) join(size + block, to);
      if (graph.successors[block].empty()) join(size + block, 0);
    }
    std::vector<int64_t> known(size, -1);
    for (uint32_t block = 0; block < size; ++block) {
      if (counters.of_block[block] < counters.count)
        known[block] = static_cast<int64_t>(counts[block]);
    }
    for (bool changed = true; changed;) {
      changed = false;
      for (uint32_t each = 0; each < 2 * size; ++each) {
        int64_t sum = 0;
        std::vector<uint32_t> unknown;
        for (uint32_t block = 0; block < size; ++block) {
          const int sign = (place[size + block] == each) - (place[block] == each);
          if (!sign) continue;
          if (known[block] < 0) unknown.push_back(block);
          if (known[block] >= 0) sum += sign * known[block];
        }
        if (unknown.size() != 1) continue;
        known[unknown[0]] = place[size + unknown[0]] == each ? -sum : sum;
        changed = true;
      }
    }
    for (uint32_t block = 0; block < size; ++block)
      ASSERT_EQ(known[block], static_cast<int64_t>(counts[block])) << round;
  }
}

TEST(Blocks, StraightCodeNeedsOneCounter) {
  const Graph graph{{{1}, {2}, {}}, {1, 1, 1}};
  EXPECT_EQ(counters_of_flow(graph).count, 1u);
  EXPECT_EQ(counters_of_coverage(graph).count, 1u);
  EXPECT_EQ(counters_everywhere(graph).count, 3u);
  EXPECT_EQ(counters_of_coverage(graph).of_block[0], 0u);  // the entry is never inferred
}

TEST(Blocks, SignatureTellsGraphsApart) {
  const Graph one{{{1, 2}, {2}, {}}, {1, 1, 1}}, other{{{2, 1}, {2}, {}}, {1, 1, 1}},
      more{{{1}, {2}, {}, {}}, {1, 1, 1, 1}};
  EXPECT_NE(one.signature(), other.signature());
  EXPECT_NE(one.signature(), more.signature());
  EXPECT_EQ(one.signature(), (Graph{{{1, 2}, {2}, {}}, {9, 8, 7}}.signature()));
}

TEST(Blocks, LargeAndDeepGraphsAreDone) {
  Graph graph;
  for (uint32_t i = 0; i < 100000; ++i) {
    graph.successors.push_back(i + 1 < 100000 ? std::vector<uint32_t>{i + 1}
                                              : std::vector<uint32_t>{});
    graph.frequency.push_back(1);
  }
  EXPECT_EQ(counters_of_flow(graph).count, 1u);
  EXPECT_EQ(counters_of_coverage(graph).count, 1u);
}

}  // namespace
}  // namespace pgokit::plugin
