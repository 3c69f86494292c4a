#pragma once

// Calling contexts as nodes of a trie, with recursion left out while they grow.
//
//   CallTrie trie;
//   u32 main = trie.child(CallTrie::root, where_start_is_returned_to).node;
//   u32 work = trie.child(main, where_main_is_returned_to).node;
//
// No series of calls stands twice in a row in a context: where one more call would make it so, the
// child is the ancestor that had the series once (a b a + b = a b). So the contexts of a recursion
// are few, however deep it is, and child() of any of them stays among them. There may be too many
// nonetheless: beyond most_nodes, and below most_callers, a context begins anew with the call.

#include <vector>

#include "base/flat_map.h"

namespace pgokit::record {

class CallTrie {
 public:
  static constexpr u32 root = 0;
  static constexpr u32 usual_most = 1 << 20;

  struct Node {
    u32 parent = root;
    u32 call = 0;  // whatever number the user has for it
    u32 callers = 0;
  };
  struct Child {
    u32 node = root;
    bool cut = false;  // it begins anew
  };

  explicit CallTrie(u32 most_nodes = usual_most) : most_nodes_(most_nodes) {}

  Child child(u32 parent, u32 call) {
    const u32* known = children_.find(key_of(parent, call));
    if (!known) [[unlikely]]
      return new_child(parent, call);
    return {*known & ~cut_flag, (*known & cut_flag) != 0};
  }
  // Parents first; [0] is the root.
  const std::vector<Node>& nodes() const { return nodes_; }

 private:
  static constexpr u32 none = u32(-1);
  static u64 key_of(u32 parent, u32 call) { return u64{parent} << 32 | call; }

  static constexpr u32 cut_flag = 1U << 31;

  Child new_child(u32 parent, u32 call);
  u32 find_or_add(u32 parent, u32 call);
  u32 repeated(u32 parent, u32 call);

  u32 most_nodes_;
  std::vector<Node> nodes_ = std::vector<Node>(1);
  FlatMap<u32> children_;  // ancestors and contexts that begin anew too
  std::vector<u32> path_;
};

}  // namespace pgokit::record
