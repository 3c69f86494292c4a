#pragma once

// How many bytes of code a function has, by where it was inlined: what inlining a context again
// will cost.
//
//   auto sizes = TRY(inline_sizes(program, functions, nullptr, 0));   // of these functions' code
//   u32 bytes = sizes.of(frames);                                  // of that context
//
// A context that is in no code has the size of the longest known end of it, or of some other copy
// of the function. Functions of which only probes are left have size 0.
// Source of truth: BinarySizeContextTracker in llvm/tools/llvm-profgen/ProfiledBinary.cpp.

#include <tsl/robin_map.h>

#include <optional>
#include <span>
#include <vector>

#include "base/hash.h"
#include "probe/table.h"
#include "profile/model/profile.h"
#include "program/program.h"

namespace pgokit::transform {

class InlineSizes {
 public:
  // A function, and where it calls the one in front of it ({} in the leaf).
  struct Frame {
    u64 guid = 0;
    profile::LineLocation site;
  };
  enum class Place : u32 {};

  InlineSizes() : nodes_(1) {}

  // On the way up a context from its leaf: for those who do not have all its frames in hand, or
  // begin many contexts alike.
  //
  //   InlineSizes::Walk walk;
  //   while (sizes.add(next_frame(), walk)) {}
  //   u32 bytes = sizes.bytes(walk);
  struct Walk {
    u32 at = 0;  // 0: nothing is known so far
    std::optional<u32> bytes = {};
  };
  // False: frames above this one change nothing.
  bool add(const Frame& frame, Walk& walk) const;
  u32 bytes(const Walk& walk) const;

  // Leaf first.
  Place place(std::span<const Frame> frames);
  void add(Place place, u64 bytes);
  // Of a context, leaf first; 0 where nothing is known at all.
  u32 of(std::span<const Frame> frames) const;

 private:
  // Leaves hang on the root and callers below them, so that the longest known end of a context is
  // found in one walk.
  struct Node {
    std::optional<u32> bytes;
    u32 first_child = 0;  // the one with the smallest key; 0: none
    u64 key = 0;
  };
  struct Edge {
    u32 parent;
    u64 key;
    bool operator==(const Edge&) const = default;
  };
  struct EdgeHash {
    size_t operator()(const Edge& edge) const {
      return IntHash()(edge.key ^ (u64{edge.parent} << 32 | edge.parent));
    }
  };

  u32 find(u32 parent, u64 key) const;
  u32 child(u32 parent, u64 key);

  std::vector<Node> nodes_;
  tsl::robin_map<Edge, u32, EdgeHash> children_;
};

// `functions`: by number in the program's table. `probes`: what generate::decode_probes() gave for
// them; null: not decoded yet.
Result<InlineSizes> inline_sizes(const program::Program& program,
                                 const std::vector<bool>& functions, const probe::Decoded* probes,
                                 unsigned threads);

// The functions of the program that are in the profile, as callers of contexts too.
std::vector<bool> functions_named(const program::FunctionTable& functions,
                                  const profile::Profile& profile);

}  // namespace pgokit::transform
