#pragma once

// Chains of call sites as integers: a node of one trie of addresses.
//
//   CallPaths paths;
//   CallPath outer = paths.child(CallPath::empty, call_in_main);
//   CallPath inner = paths.child(outer, call_in_foo);
//   for (CallPath at = inner; at != CallPath::empty; at = paths.parent(at)) use(paths.call(at));
//
// Equal chains are equal integers, and a path is greater than its prefixes: one loop over all ids
// meets parents before children.

#include <tsl/robin_map.h>

#include <vector>

#include "base/hash.h"
#include "program/code_map.h"

namespace pgokit::unwind {

enum class CallPath : u32 { empty = 0 };

class CallPaths {
 public:
  struct Node {
    CallPath parent = CallPath::empty;
    program::CodeIndex call = program::no_code;
  };

  CallPaths() : nodes_(1) {}
  // Every path there is, parents first; [0] is the empty one.
  explicit CallPaths(std::vector<Node> nodes) : nodes_(std::move(nodes)), indexed_(false) {}

  CallPath child(CallPath parent, program::CodeIndex call);
  CallPath parent(CallPath path) const { return node(path).parent; }
  // The innermost call instruction; no_code where something was returned to that no call stands
  // before.
  program::CodeIndex call(CallPath path) const { return node(path).call; }
  // Outermost first.
  std::vector<program::CodeIndex> calls(CallPath path) const;
  // One past the largest id given out.
  size_t end() const { return nodes_.size(); }

 private:
  const Node& node(CallPath path) const { return nodes_[static_cast<u32>(path)]; }

  void index();

  std::vector<Node> nodes_;
  bool indexed_ = true;  // the nodes are in ids_: not before child() is asked for one
  tsl::robin_map<u64, CallPath, IntHash> ids_;
};

}  // namespace pgokit::unwind
