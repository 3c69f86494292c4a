#pragma once

// One numbering for the contexts of many parts, each of which has numbers of its own.
//
//   ContextNumbers numbers({nodes_of_first, nodes_of_second});     // parents first; [0] is none
//   u32 number = numbers.number(1, 17);                            // any thread
//
// Parts are neighbourhoods of a trie of calls: hardly any context is in two of them but those
// around the border. So a context whose parent no part before has is new without being looked up.

#include <tsl/robin_map.h>
#include <tsl/robin_set.h>

#include <span>
#include <vector>

#include "base/hash.h"
#include "profile/model/context.h"

namespace pgokit::unwind {

// A part owns the contexts that no part before it has; their numbers are neighbours.
class ContextNumbers {
 public:
  using Nodes = std::span<const profile::Contexts::Node>;

  // `parts` have to last as long as this.
  explicit ContextNumbers(std::vector<Nodes> parts);

  u32 number(size_t part, u32 context) const { return numbers_[part][context]; }
  u32 first(size_t part) const { return first_[part]; }
  bool owns(size_t part, u32 number) const { return number >= first_[part]; }  // or later ones
  size_t owner(u32 number) const;
  // Ascending, by the part's own numbers.
  const std::vector<u32>& owned(size_t part) const { return owned_[part]; }
  u32 end() const { return next_; }
  // What the parts own, by number.
  std::vector<profile::Contexts::Node> nodes(unsigned threads) const;

 private:
  using Node = profile::Contexts::Node;
  struct NodeHash {
    size_t operator()(const Node& node) const {
      u64 callee = u64{static_cast<u32>(node.parent)} << 32 | static_cast<u32>(node.function);
      return IntHash{}(callee ^ node.call_site.hash());
    }
  };

  void add(size_t part);
  u32 find_or_add(const Node& node);
  void list_children(u32 parent);
  void make_lists(Nodes nodes);

  std::vector<Nodes> parts_;
  std::vector<std::vector<u32>> numbers_, owned_;  // by part
  std::vector<u32> first_;
  u32 next_ = 0;

  // Below contexts that later parts have, too.
  tsl::robin_map<Node, u32, NodeHash> known_;
  tsl::robin_set<u32, IntHash> listed_;  // parents whose children are there
  size_t lists_of_ = ~size_t{0};         // the part of these lists
  std::vector<u32> first_child_, next_sibling_;
};

}  // namespace pgokit::unwind
