#pragma once

// The contexts of a profile as a tree that passes can rearrange: what the pre-inliner and the
// nesting of contexts work on.
//
//   ContextTree tree(profile);
//   for (u32 node : tree.breadth_first()) if (auto* samples = tree.samples(node)) ...
//   for (u32 child : tree[node].children) ...          // in the order LLVM has them
//
// Children are ordered by an MD5-based key because LLVM's are, and that order shows in profiles.
// Where a cost has to be known by calling context, parent() and site lead back to the outermost
// function. The profile must outlive the tree, and no function may be added to it meanwhile.
// Source of truth: llvm/lib/Transforms/IPO/SampleContextTracker.cpp.

#include <span>
#include <vector>

#include "base/compact_vector.h"
#include "profile/model/profile.h"

namespace pgokit::transform {

class ContextTree {
 public:
  static constexpr u32 root = 0, none = ~u32{0};

  struct Node {
    u64 key = 0;
    u32 parent = none;            // none: the root
    profile::LineLocation site;   // in the parent; {} below the root
    NameId function{};            // of nobody in the root
    u32 entry = none;             // in entries(); none: only others' contexts lead through here
    CompactVector<u32> children;  // by key
  };

  // Only contexts that lead to a function of the profile are in the tree.
  explicit ContextTree(profile::Profile& profile);

  const Node& operator[](u32 node) const { return nodes_[node]; }
  size_t size() const { return nodes_.size(); }
  // The functions of the profile.
  std::span<profile::FunctionSamples* const> entries() const { return entries_; }
  // Of a node; null if it has none.
  profile::FunctionSamples* samples(u32 node) const {
    return nodes_[node].entry == none ? nullptr : entries_[nodes_[node].entry];
  }
  // The GUID of a function in the tree.
  u64 guid(NameId function) const { return guids_[static_cast<size_t>(function)]; }

  // All nodes that hang on the root, and the root.
  std::vector<u32> breadth_first() const;
  // The same, children before their parents.
  std::vector<u32> children_first() const;

  // none if there is no such child.
  u32 child(u32 parent, profile::LineLocation site, NameId function) const;

  // Makes `node` a child of the root, with all below it. Where one of that name is there already,
  // and so on below it, `merge(from, to)` is called for the two nodes: it may move the
  // entry by set_entry(). Returns the child of the root.
  template <class Merge>
  u32 promote(u32 node, Merge merge);

  void set_entry(u32 node, u32 entry) { nodes_[node].entry = entry; }

 private:
  void read_guids(const profile::Profile& profile);
  // Children of one node on their way to another.
  struct Level {
    u32 from, to;
    u64 done = 0;  // the key of the last one
    bool begun = false;
  };
  u32 next_child(Level& level) const;
  void detach(u32 parent, u64 key);
  void attach(u32 node, u32 parent, profile::LineLocation site);
  const u32* position(u32 parent, u64 key) const;

  std::vector<Node> nodes_;
  std::vector<profile::FunctionSamples*> entries_;
  std::vector<u64> guids_;  // by NameId, of functions in the tree
};

template <class Merge>
u32 ContextTree::promote(u32 node, Merge merge) {
  u32 old_parent = nodes_[node].parent;
  u64 old_key = nodes_[node].key;
  u32 promoted = child(root, {}, nodes_[node].function);
  if (promoted == none) {
    detach(old_parent, old_key);
    attach(node, root, {});
    return node;
  }
  // Without recursion: contexts of a file may be of any depth. What stands in the tree meanwhile
  // shows where a function calls itself: a node stays among the children of its old parent until
  // all of them are done, may be found there and be given children that are yet to be visited.
  std::vector<Level> levels;
  auto join = [&](u32 from, u32 to) {
    merge(from, to);
    levels.push_back({from, to});
  };
  join(node, promoted);
  while (!levels.empty()) {
    auto& level = levels.back();
    u32 next = next_child(level), to = level.to;
    if (next == none) {
      nodes_[level.from].children.clear();
      levels.pop_back();
    } else if (u32 same = child(to, nodes_[next].site, nodes_[next].function); same != none) {
      join(next, same);
    } else {
      attach(next, to, nodes_[next].site);
    }
  }
  detach(old_parent, old_key);
  return promoted;
}

}  // namespace pgokit::transform
