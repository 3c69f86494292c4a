#pragma once

// Calling contexts as integers: a node of one trie of call sites.
//
//   Contexts contexts;
//   ContextId main = contexts.top(main_name);                    // [main]
//   ContextId foo = contexts.child(main, {3, 1}, foo_name);      // [main:3.1 @ foo]
//
// A function without calling context is a context of one frame.

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "profile/model/function_samples.h"
#include "profile/model/name_table.h"

namespace pgokit::profile {

enum class ContextId : u32 { none = 0 };

class Contexts {
 public:
  struct Node {
    ContextId parent = ContextId::none;  // none: called from nowhere we know
    LineLocation call_site;              // in the parent
    NameId function{};
    auto operator<=>(const Node&) const = default;
  };

  Contexts() : nodes_(1) {}
  // Each once, parents first; [0] is no context.
  explicit Contexts(std::vector<Node> nodes) : nodes_(std::move(nodes)) {}

  ContextId top(NameId function) { return child(ContextId::none, {}, function); }
  ContextId child(ContextId parent, LineLocation call_site, NameId function);
  // none if there is no such child. Any number of threads may ask.
  ContextId find(ContextId parent, LineLocation call_site, NameId function) const;
  const Node& node(ContextId id) const { return nodes_[static_cast<u32>(id)]; }
  // One past the largest id given out.
  size_t end() const { return nodes_.size(); }
  std::span<const Node> nodes() const { return nodes_; }
  std::vector<Node> take_nodes() && { return std::move(nodes_); }
  // Begins anew, in the memory that is there.
  void clear() {
    nodes_.resize(1);
    std::ranges::fill(slots_, Slot{});
  }

  // Outermost first: `location` is where the frame calls the next one, {} in the last.
  struct Frame {
    NameId function{};
    LineLocation location;
    bool operator==(const Frame&) const = default;
  };
  std::vector<Frame> frames(ContextId id) const;
  // The place of each context among all, by their frames from the outermost one on: function, as
  // `names` ranks it, then location; a context stands before those that it is the beginning of.
  std::vector<u32> ranks(std::span<const u32> names) const;
  // "main:3.1 @ foo", as text profiles have it between brackets.
  std::string text(ContextId id, const NameTable& names) const;

 private:
  // A hash table of ids alone: the nodes are in nodes_. Contexts are many; a table that held them
  // again took three times the memory and 1.5 times as long.
  struct Slot {
    u32 id = 0;   // 0: free
    u32 tag = 0;  // more of the hash
  };
  void grow();

  std::vector<Node> nodes_;  // [0] is no context
  std::vector<Slot>
      slots_;  // a power of two, at most two thirds full; none before the first child()
};

}  // namespace pgokit::profile
