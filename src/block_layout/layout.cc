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

// Pieces of the hot blocks that nothing falls out of. All landing pads stay in one, as clang wants.
std::vector<u32> parts_of(const CountedFunction& function, const std::vector<u32>& hot) {
  auto falls = [&](u32 from, u32 to) {
    auto ends = [](const Edge& edge) { return std::pair(edge.from, edge.to); };
    auto found = std::ranges::lower_bound(function.edges, std::pair(from, to), {}, ends);
    return found != function.edges.end() && ends(*found) == std::pair(from, to);
  };
  size_t first_pad = hot.size(), last_pad = 0;
  for (size_t i = 0; i < hot.size(); ++i)
    if (is_landing_pad(function.blocks[hot[i]])) {
      first_pad = std::min(first_pad, i);
      last_pad = i;
    }
  std::vector<u32> parts{0};
  for (size_t i = 1; i < hot.size(); ++i) {
    bool between_pads = first_pad < i && i <= last_pad;
    if (!between_pads && !falls(hot[i - 1], hot[i])) parts.push_back(static_cast<u32>(i));
  }
  return parts;
}

// Parts of functions, by numbers: those of a function follow each other.
class PartOrder {
 public:
  PartOrder(const BlockCounts& counts, const std::vector<FunctionLayout>& layouts)
      : counts_(counts), layouts_(layouts) {
    for (const auto& layout : layouts) {
      first_.push_back(parts_);
      parts_ += static_cast<u32>(layout.parts.size());
    }
    first_.push_back(parts_);
  }

  // Pairs of a function and one of its parts.
  std::vector<LayoutPart> make() {
    for (u32 f = 0; f < layouts_.size(); ++f) add_function(f);
    add_calls();
    model_.normalize();
    model_.guess_sizes();
    std::vector<LayoutPart> order;
    std::vector<bool> placed(parts_);
    auto place = [&](u32 part) {
      if (placed[part]) return;
      placed[part] = true;
      auto function = std::ranges::upper_bound(first_, part) - first_.begin() - 1;
      order.push_back({static_cast<u32>(function), part - first_[static_cast<size_t>(function)]});
    };
    for (u32 part : order::cache_directed(model_, {})) place(part);
    for (u32 part = 0; part < parts_; ++part) place(part);
    return order;
  }

 private:
  // Static functions may share a name, so parts have numbers for names.
  void add_function(u32 f) {
    const auto& layout = layouts_[f];
    std::vector<u32> part_of(counts_.functions[f].blocks.size(), cold);
    for (size_t i = 0, part = 0; i < layout.hot.size(); ++i) {
      if (part + 1 < layout.parts.size() && i == layout.parts[part + 1]) ++part;
      part_of[layout.hot[i]] = first_[f] + static_cast<u32>(part);
    }
    for (u32 part = first_[f]; part < first_[f + 1]; ++part)
      model_.function(fmt::format("{}", part));
    for (u32 b : layout.hot) {
      const auto& block = counts_.functions[f].blocks[b];
      auto& part = model_.functions[part_of[b]];
      part.size += block.size;
      part.weight = add_saturated(part.weight, multiply_saturated(block.count, block.size));
    }
    for (u32 part = first_[f]; part < first_[f + 1]; ++part)
      model_.functions[part].weight /= bytes_per_instruction;
    for (const auto& edge : counts_.functions[f].edges) {
      u32 from = part_of[edge.from], to = part_of[edge.to];
      if (from != cold && to != cold && from != to) model_.calls.push_back({from, to, edge.count});
    }
    part_of_.push_back(std::move(part_of));
  }

  void add_calls() {
    for (const auto& call : counts_.calls) {
      u32 from = part_of_[call.from][call.block];
      if (from != cold) model_.calls.push_back({from, first_[call.to], call.count});
    }
  }

  const BlockCounts& counts_;
  const std::vector<FunctionLayout>& layouts_;
  u32 parts_ = 0;
  std::vector<u32> first_;                 // of each function
  std::vector<std::vector<u32>> part_of_;  // by block
  order::Model model_;
};

}  // namespace

ProgramLayout lay_out(const BlockCounts& counts, const LayoutOptions& options, unsigned threads) {
  std::vector<FunctionLayout> layouts(counts.functions.size());
  constexpr size_t at_once = 8;
  parallel_each(layouts.size(), at_once, threads, [&](size_t f, unsigned) {
    layouts[f] = lay_out(counts.functions[f], static_cast<u32>(f));
    if (options.inter_procedural) layouts[f].parts = parts_of(counts.functions[f], layouts[f].hot);
  });
  ProgramLayout layout;
  layout.order = PartOrder(counts, layouts).make();
  std::vector<u32> position(layouts.size());
  for (const auto& part : layout.order) {
    if (part.part != 0) continue;
    position[part.function] = static_cast<u32>(layout.functions.size());
    layout.functions.push_back(std::move(layouts[part.function]));
  }
  for (auto& part : layout.order) part.function = position[part.function];
  for (const auto& function : layout.functions) {
    layout.hot_blocks += function.hot.size();
    layout.blocks += counts.functions[function.function].blocks.size();
    layout.score_before += function.score_before;
    layout.score += function.score;
  }
  return layout;
}

}  // namespace pgokit::block_layout
