#include "record/software/call_trie.h"

#include <algorithm>

#include "perf/branch_contexts.h"

namespace pgokit::record {

// The ancestor where the innermost calls have been made already, if they now stand twice in a row.
// The calls of the parent have no repetition, so one that there is ends with this call.
u32 CallTrie::repeated(u32 parent, u32 call) {
  path_.assign(1, call);  // innermost first
  for (u32 node = parent; node != root; node = nodes_[node].parent)
    path_.push_back(nodes_[node].call);
  u32 ancestor = parent;
  for (size_t length = 1; 2 * length <= path_.size(); ++length) {
    auto at = path_.begin() + static_cast<ptrdiff_t>(length);
    if (std::equal(path_.begin(), at, at)) return ancestor;
    ancestor = nodes_[ancestor].parent;
  }
  return none;
}

u32 CallTrie::find_or_add(u32 parent, u32 call) {
  const u32* known = children_.find(key_of(parent, call));
  if (known) return *known & ~cut_flag;
  if (nodes_.size() >= most_nodes_ || nodes_[parent].callers == perf::BranchContexts::most_callers)
    return none;
  auto node = static_cast<u32>(nodes_.size());
  nodes_.push_back({parent, call, nodes_[parent].callers + 1});
  children_[key_of(parent, call)] = node;
  return node;
}

CallTrie::Child CallTrie::new_child(u32 parent, u32 call) {
  Child child{repeated(parent, call)};
  if (child.node == none) child.node = find_or_add(parent, call);
  if (child.node == none) {
    child = {find_or_add(root, call), true};
    if (child.node == none) child.node = root;
  }
  // What is not kept is found out again.
  if (children_.size() < 4 * size_t{usual_most})
    children_[key_of(parent, call)] = child.node | (child.cut ? cut_flag : 0);
  return child;
}

}  // namespace pgokit::record
