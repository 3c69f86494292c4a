#include "unwind/contexts/context_numbers.h"

#include <tsl/robin_map.h>
#include <tsl/robin_set.h>

#include <algorithm>
#include <utility>

#include "base/hash.h"
#include "base/parallel.h"

namespace pgokit::unwind {

using profile::ContextId;

// What is below contexts that several parts have: known while numbers are given.
class ContextNumbers::Shared {
 public:
  explicit Shared(const ContextNumbers& all) : all_(all) {}

  u32 find_or_add(const Node& node) {
    auto parent = static_cast<u32>(node.parent);
    if (listed_.insert(parent).second) list_children(parent);
    return known_.try_emplace(node, all_.next_).first->second;
  }

 private:
  struct NodeHash {
    size_t operator()(const Node& node) const {
      u64 callee = u64{static_cast<u32>(node.parent)} << 32 | static_cast<u32>(node.function);
      return IntHash{}(callee ^ node.call_site.hash());
    }
  };

  // Those that the parent's own part has; what later parts add comes here by itself.
  void list_children(u32 parent) {
    size_t part = all_.owner(parent);
    Nodes nodes = all_.parts_[part];
    if (std::exchange(lists_of_, part) != part) make_lists(nodes);
    u32 own_number = all_.owned_[part][parent - all_.first_[part]];
    for (u32 i = first_child_[own_number]; i != 0; i = next_sibling_[i])
      known_.try_emplace({ContextId{parent}, nodes[i].call_site, nodes[i].function},
                         all_.numbers_[part][i]);
  }
  void make_lists(Nodes nodes) {
    first_child_.assign(nodes.size(), 0);
    next_sibling_.resize(nodes.size());
    for (u32 i = 1; i < nodes.size(); ++i)
      next_sibling_[i] = std::exchange(first_child_[static_cast<u32>(nodes[i].parent)], i);
  }

  const ContextNumbers& all_;
  tsl::robin_map<Node, u32, NodeHash> known_;
  tsl::robin_set<u32, IntHash> listed_;  // parents whose children are there
  size_t lists_of_ = ~size_t{0};         // the part of these lists
  std::vector<u32> first_child_, next_sibling_;
};

ContextNumbers::ContextNumbers(std::vector<Nodes> parts)
    : parts_(std::move(parts)),
      numbers_(parts_.size()),
      owned_(parts_.size()),
      others_(parts_.size()) {
  Shared shared(*this);
  for (size_t part = 0; part < parts_.size(); ++part) add(part, shared);
}

size_t ContextNumbers::owner(u32 number) const {
  return static_cast<size_t>(std::ranges::upper_bound(first_, number) - first_.begin()) - 1;
}

std::vector<profile::Contexts::Node> ContextNumbers::nodes(unsigned threads) const {
  std::vector<Node> nodes(next_);
  parallel_for(parts_.size(), threads, [&](size_t part, unsigned) {
    auto node = nodes.data() + first_[part];
    for (u32 i : owned_[part]) {
      *node = parts_[part][i];
      node->parent = ContextId{numbers_[part][static_cast<u32>(node->parent)]};
      ++node;
    }
  });
  return nodes;
}

void ContextNumbers::add(size_t part, Shared& shared) {
  Nodes nodes = parts_[part];
  auto& numbers = numbers_[part];
  auto& owned = owned_[part];
  first_.push_back(next_);
  if (part == 0) owned.push_back(next_++);  // none
  numbers.reserve(nodes.size());
  numbers.push_back(0);
  for (u32 i = 1; i < nodes.size(); ++i) {
    u32 parent = numbers[static_cast<u32>(nodes[i].parent)];
    u32 number = next_;
    if (!owns(part, parent))
      number = shared.find_or_add({ContextId{parent}, nodes[i].call_site, nodes[i].function});
    numbers.push_back(number);
    if (number == next_)
      owned.push_back(i), ++next_;
    else
      others_[part].push_back(i);
  }
}

}  // namespace pgokit::unwind
