#include "annotate/block_flow.h"

#include <algorithm>

#include "base/saturated.h"

namespace pgokit::annotate {

BlockFlow::BlockFlow(const block_map::Function& function,
                     std::span<const std::optional<u64>> counts)
    : blocks_(function.blocks.size()) {
  connect(function);
  for (u32 i = 0; i < blocks_.size(); ++i) {
    blocks_[i].count = counts[i];
    waiting_.push_back(i);
  }
  // Each edge and each block becomes known once, and then wakes its two ends, or itself.
  while (!waiting_.empty()) {
    u32 number = waiting_.back();
    waiting_.pop_back();
    for (auto& side : blocks_[number].sides) complete(number, side);
  }
}

void BlockFlow::connect(const block_map::Function& function) {
  std::vector<std::pair<u32, u32>> by_id;  // number of the block
  for (u32 i = 0; i < blocks_.size(); ++i) by_id.push_back({function.blocks[i].id, i});
  std::ranges::sort(by_id);
  for (u32 i = 0; i < blocks_.size(); ++i)
    for (u32 id : function.successors_of(i)) {
      auto found = std::ranges::lower_bound(by_id, std::pair(id, u32{0}));
      bool there = found != by_id.end() && found->first == id;
      auto edge = static_cast<u32>(edges_.size());
      edges_.push_back({i, there ? found->second : no_block, std::nullopt});
      blocks_[i].sides[out].edges.push_back(edge);
      if (there) blocks_[found->second].sides[in].edges.push_back(edge);
    }
  for (auto& block : blocks_) {
    predecessors_.push_back(static_cast<u32>(block.sides[in].edges.size()));
    for (auto& side : block.sides) side.unknown = side.edges.size();
  }
  if (blocks_.empty()) return;
  // Calls come into the first block, and nobody counts them.
  ++predecessors_[0];
  ++blocks_[0].sides[in].unknown;
}

// What of a block and its edges on one side follows from the rest.
void BlockFlow::complete(u32 number, Side& side) {
  auto& block = blocks_[number];
  if (side.edges.empty()) return;
  if (side.unknown == 0 && !block.count) {
    block.count = side.sum;
    waiting_.push_back(number);
  }
  if (side.unknown != 1 || !block.count) return;
  auto missing =
      std::ranges::find_if(side.edges, [&](u32 edge) { return !edges_[edge].count.has_value(); });
  if (missing == side.edges.end()) return;
  // Counts of samples differ; by more than a quarter they contradict each other.
  if (static_cast<double>(side.sum) > 1.25 * static_cast<double>(*block.count)) return;
  learn(*missing, *block.count - std::min(side.sum, *block.count));
}

void BlockFlow::learn(u32 edge, u64 count) {
  edges_[edge].count = count;
  learn(edges_[edge].from, out, count);
  if (edges_[edge].to != no_block) learn(edges_[edge].to, in, count);
}

void BlockFlow::learn(u32 block, Direction direction, u64 count) {
  auto& side = blocks_[block].sides[direction];
  --side.unknown;
  side.sum = add_saturated(side.sum, count);
  waiting_.push_back(block);
}

std::optional<u64> BlockFlow::edge(size_t block, size_t successor) const {
  return edges_[blocks_[block].sides[out].edges[successor]].count;
}

}  // namespace pgokit::annotate
