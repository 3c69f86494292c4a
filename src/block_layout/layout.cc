#include "block_layout/layout.h"

#include <fmt/format.h>
#include <tsl/robin_set.h>

#include <algorithm>
#include <numeric>

#include "base/hash.h"
#include "base/parallel.h"
#include "base/saturated.h"
#include "block_layout/ext_tsp.h"
#include "block_map/block_map.h"
#include "order/cache_directed.h"

namespace pgokit::block_layout {
namespace {

constexpr u32 cold = ~u32{0};
constexpr u64 bytes_per_instruction = 4;

bool is_landing_pad(const CountedBlock& block) {
  return (block.flags & block_map::Block::landing_pad) != 0;
}

// Copies of a block that clang has made after numbering share its number, and clang wants each once.
void keep_first_of_each_id(const std::vector<CountedBlock>& blocks, std::vector<u32>& order) {
  auto id = [&](u32 b) { return blocks[b].id; };
  auto sorted = order;
  std::ranges::sort(sorted, {}, id);
  if (std::ranges::adjacent_find(sorted, {}, id) == sorted.end()) return;
  tsl::robin_set<u32, IntHash> seen;
  std::erase_if(order, [&](u32 b) { return !seen.insert(id(b)).second; });
}

FunctionLayout lay_out(const CountedFunction& function, u32 number) {
  FunctionLayout layout{.function = number};
  const auto& blocks = function.blocks;
  Graph graph;
  std::vector<u32> node_of(blocks.size(), cold), block_of;
  for (u32 b = 0; b < blocks.size(); ++b) {
    if (b != 0 && blocks[b].count == 0) continue;
    node_of[b] = static_cast<u32>(block_of.size());
    block_of.push_back(b);
    graph.nodes.push_back({blocks[b].size, blocks[b].count});
  }
  for (const auto& edge : function.edges)
    graph.edges.push_back({node_of[edge.from], node_of[edge.to], edge.count});
  for (u32 node : ext_tsp_order(graph)) layout.hot.push_back(block_of[node]);
  if (std::ranges::any_of(layout.hot, [&](u32 b) { return is_landing_pad(blocks[b]); }))
    for (u32 b = 1; b < blocks.size(); ++b)
      if (node_of[b] == cold && is_landing_pad(blocks[b])) layout.hot.push_back(b);

  keep_first_of_each_id(blocks, layout.hot);

  Graph whole{.edges = function.edges};
  for (const auto& block : blocks) whole.nodes.push_back({block.size, block.count});
  std::vector<u32> now(blocks.size());
  std::iota(now.begin(), now.end(), 0u);
  layout.score_before = ext_tsp_score(whole, now);
  layout.score = ext_tsp_score(whole, layout.hot);
  return layout;
}

// Functions are known by numbers here: static ones may share a name.
std::vector<u32> function_order(const BlockCounts& counts,
                                const std::vector<FunctionLayout>& layouts) {
  order::Model model;
  for (u32 f = 0; f < counts.functions.size(); ++f) {
    auto& function = model.functions[model.function(fmt::format("{}", f))];
    for (u32 b : layouts[f].hot) {
      const auto& block = counts.functions[f].blocks[b];
      function.size += block.size;
      function.weight = add_saturated(function.weight, multiply_saturated(block.count, block.size));
    }
    function.weight /= bytes_per_instruction;
  }
  for (const auto& call : counts.calls) model.calls.push_back({call.from, call.to, call.count});
  model.normalize();
  model.guess_sizes();
  auto order = order::cache_directed(model, {});
  std::vector<bool> placed(counts.functions.size());
  for (u32 f : order) placed[f] = true;
  for (u32 f = 0; f < placed.size(); ++f)
    if (!placed[f]) order.push_back(f);
  return order;
}

}  // namespace

ProgramLayout lay_out(const BlockCounts& counts, unsigned threads) {
  std::vector<FunctionLayout> layouts(counts.functions.size());
  constexpr size_t at_once = 8;
  parallel_each(layouts.size(), at_once, threads, [&](size_t f, unsigned) {
    layouts[f] = lay_out(counts.functions[f], static_cast<u32>(f));
  });
  ProgramLayout layout;
  for (u32 f : function_order(counts, layouts)) layout.functions.push_back(std::move(layouts[f]));
  for (const auto& function : layout.functions) {
    layout.hot_blocks += function.hot.size();
    layout.blocks += counts.functions[function.function].blocks.size();
    layout.score_before += function.score_before;
    layout.score += function.score;
  }
  return layout;
}

}  // namespace pgokit::block_layout
