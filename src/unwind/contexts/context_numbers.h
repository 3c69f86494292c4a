#pragma once

// One numbering for the contexts of many parts, each of which has numbers of its own.
//
//   ContextNumbers numbers({nodes_of_first, nodes_of_second});     // parents first; [0] is none
//   u32 number = numbers.number(1, 17);                            // any thread
//
// Parts are neighbourhoods of a trie of calls: hardly any context is in two of them but those
// around the border. So a context whose parent no part before has is new without being looked up.

#include <span>
#include <vector>

#include "profile/model/context.h"

namespace pgokit::unwind {

// A part owns the contexts that no part before it has; their numbers are neighbours.
class ContextNumbers {
 public:
  using Nodes = std::span<const profile::Contexts::Node>;

  // `parts` have to last as long as this.
  explicit ContextNumbers(std::vector<Nodes> parts);

  u32 number(size_t part, u32 context) const { return numbers_[part][context]; }
  bool owns(size_t part, u32 number) const { return number >= first_[part]; }  // or later ones
  size_t owner(u32 number) const;
  // Ascending, by the part's own numbers.
  const std::vector<u32>& owned(size_t part) const { return owned_[part]; }
  // Those that another part owns.
  const std::vector<u32>& others(size_t part) const { return others_[part]; }
  u32 end() const { return next_; }
  // What the parts own, by number.
  std::vector<profile::Contexts::Node> nodes(unsigned threads) const;

 private:
  using Node = profile::Contexts::Node;
  class Shared;

  void add(size_t part, Shared& shared);

  std::vector<Nodes> parts_;
  std::vector<std::vector<u32>> numbers_, owned_, others_;  // by part
  std::vector<u32> first_;
  u32 next_ = 0;
};

}  // namespace pgokit::unwind
