#pragma once

// One numbering for the contexts of many parts (context_parts.h).

#include <tsl/robin_map.h>
#include <tsl/robin_set.h>

#include "base/hash.h"
#include "unwind/context_parts.h"

namespace pgokit::unwind {

// A part owns the contexts that no part before it has; their numbers are neighbours.
class ContextNumbers {
 public:
  explicit ContextNumbers(const std::vector<ContextPart>& parts);

  u32 number(size_t part, u32 context) const { return numbers_[part][context]; }
  u32 first(size_t part) const { return first_[part]; }
  bool owns(size_t part, u32 number) const { return number >= first_[part]; }  // or later ones
  size_t owner(u32 number) const;
  // Ascending, by the part's own numbers.
  const std::vector<u32>& owned(size_t part) const { return owned_[part]; }
  u32 end() const { return next_; }

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
  void make_lists(const std::vector<Node>& nodes);

  const std::vector<ContextPart>& parts_;
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
