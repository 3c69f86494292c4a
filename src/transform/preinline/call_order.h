#pragma once

// The order in which the pre-inliner visits functions: callers before callees, as far as the calls
// form no cycles; in a cycle, along its hottest calls.
//
//   CallGraph graph(tree, profile.names);
//   graph.drop_calls_up_to(cold);
//   for (NameId function : graph.top_down(true)) ...
//
// Source of truth: llvm/Transforms/IPO/ProfiledCallGraph.h and llvm/ADT/SCCIterator.h; the order
// of equals is theirs, since it decides what is inlined.

#include <span>
#include <vector>

#include "transform/preinline/context_tree.h"

namespace pgokit::transform {

// How often the context of `callee` was called from the one above it.
u64 calls_of(const ContextTree& tree, u32 callee);

class CallGraph {
 public:
  struct Call {
    u32 callee = 0;
    u64 count = 0;
  };

  struct Edge {
    NameId caller{}, callee{};
    u64 count = 0;
  };

  // Of every caller and callee that the tree shows, whatever their context.
  CallGraph(const ContextTree& tree, const profile::NameTable& names);
  // `used`: by NameId, whether it is in the graph. Edges in any order, as often as there are calls.
  CallGraph(const profile::NameTable& names, const std::vector<bool>& used,
            const std::vector<Edge>& edges);

  // Nothing where `count` is 0.
  void drop_calls_up_to(u64 count);
  std::vector<NameId> top_down(bool sort_cycles) const;

 private:
  std::span<const Call> calls(u32 function) const {
    return {calls_.data() + first_[function], calls_.data() + first_[function + 1]};
  }
  // Functions that call each other in cycles, callees first.
  std::vector<std::vector<u32>> cycles() const;
  std::vector<u32> along_hot_calls(const std::vector<u32>& cycle) const;

  std::vector<NameId> functions_;  // by name; everything else has their numbers
  std::vector<u32> first_;         // where the calls of a function begin
  std::vector<Call> calls_;        // by caller, then callee
};

}  // namespace pgokit::transform
