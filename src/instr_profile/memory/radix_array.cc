#include "instr_profile/memory/radix_array.h"

#include <algorithm>
#include <numeric>
#include <ranges>
#include <tuple>

namespace pgokit::instr_profile {

RadixArray::RadixArray(const StackTree& stacks, std::span<const u32> used,
                       std::span<const u64> frame_ids)
    : stacks_(stacks), starts_(stacks.size()) {
  count(used, frame_ids.size());
  order_frames(frame_ids);
  auto order = order_stacks(used, frame_ids);
  // From the last on, so that most stacks share frames with one that is there whole.
  for (u32 stack : order | std::views::reverse) encode(stack);
  std::ranges::reverse(elements_);
  auto last = static_cast<u32>(elements_.size() - 1);
  for (u32 stack : order) starts_[stack] = last - starts_[stack];
}

// A node counts for all stacks that go through it.
void RadixArray::count(std::span<const u32> used, size_t frames) {
  struct Through {
    u64 stacks = 0, depths = 0;
  };
  std::vector<Through> through(stacks_.size());
  for (u32 node : used) through[node] = {1, stacks_.depth(node)};
  uses_.resize(frames);
  for (auto node = static_cast<u32>(stacks_.size() - 1); node > 0; --node) {
    auto [number, depths] = through[node];
    auto& parent = through[stacks_.parent(node)];
    parent.stacks += number, parent.depths += depths;
    auto& uses = uses_[stacks_.frame(node)];
    uses.count += number;
    uses.positions += depths - number * stacks_.depth(node);
  }
}

void RadixArray::order_frames(std::span<const u64> frame_ids) {
  frame_order_.resize(frame_ids.size());
  std::iota(frame_order_.begin(), frame_order_.end(), 0);
  std::ranges::sort(frame_order_, {}, [&](u32 frame) {
    return std::tuple(~uses_[frame].count, uses_[frame].positions, frame_ids[frame]);
  });
  number_of_frame_.resize(frame_ids.size());
  for (u32 i = 0; i < frame_order_.size(); ++i) number_of_frame_[frame_order_[i]] = i;
}

// From the root, the frames that few stacks have first: nodes before what is below them.
std::vector<u32> RadixArray::order_stacks(std::span<const u32> used,
                                          std::span<const u64> frame_ids) const {
  auto nodes = static_cast<u32>(stacks_.size());
  std::vector<u32> rank(frame_ids.size());
  std::iota(rank.begin(), rank.end(), 0);
  std::ranges::sort(rank, {},
                    [&](u32 frame) { return std::pair(uses_[frame].count, frame_ids[frame]); });
  std::vector<u32> place(rank.size());
  for (u32 i = 0; i < rank.size(); ++i) place[rank[i]] = i;

  std::vector<u32> children(nodes - 1);
  std::iota(children.begin(), children.end(), 1);
  std::ranges::sort(children, {}, [&](u32 node) {
    return std::pair(stacks_.parent(node), place[stacks_.frame(node)]);
  });
  std::vector<u32> first_child(nodes + 1);
  for (u32 node : children) ++first_child[stacks_.parent(node) + 1];
  std::partial_sum(first_child.begin(), first_child.end(), first_child.begin());

  std::vector<bool> is_used(nodes);
  for (u32 node : used) is_used[node] = true;
  std::vector<u32> order, open = {StackTree::root};
  while (!open.empty()) {
    u32 node = open.back();
    open.pop_back();
    if (is_used[node]) order.push_back(node);
    for (u32 i = first_child[node + 1]; i > first_child[node]; --i) open.push_back(children[i - 1]);
  }
  return order;
}

void RadixArray::encode(u32 stack) {
  u32 depth = stacks_.depth(stack), common = stack;
  std::vector<u32> beyond;
  for (; common != StackTree::root; common = stacks_.parent(common)) {
    u32 at = stacks_.depth(common) - 1;
    if (at < path_.size() && path_[at] == common) break;
    beyond.push_back(common);
  }
  path_.resize(stacks_.depth(common));
  places_.resize(path_.size());
  auto here = [&] { return static_cast<u32>(elements_.size()); };
  if (!path_.empty()) elements_.push_back(places_.back() - here());
  for (u32 node : beyond | std::views::reverse) {
    path_.push_back(node);
    places_.push_back(here());
    elements_.push_back(number_of_frame_[stacks_.frame(node)]);
  }
  elements_.push_back(depth);
  starts_[stack] = here() - 1;
}

}  // namespace pgokit::instr_profile
