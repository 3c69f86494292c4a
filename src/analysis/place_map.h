#pragma once

// Where the places of a function went, between two builds of it: call sites of both are aligned by
// who is called there (longest common subsequence), and what lies between moves with them.
//
//   PlaceMap map = align_places(old_anchors, old_places, new_anchors, new_places);
//   LineLocation now = map.at({12, 0});
//
// Between two call sites, places of lines move by as many lines as put most of them where the
// program has code, with few changes of that number on the way: so functions without calls are
// followed, too. Numbers of probes have no gaps that would tell; as clang's matcher of stale
// profiles does it, they move with the call site in front in the first half of the way to the next
// one, and with that one in the second. Source of truth:
// llvm/lib/Transforms/IPO/SampleProfileMatcher.cpp.

#include <span>
#include <vector>

#include "analysis/program_shape.h"

namespace pgokit::analysis {

class PlaceMap {
 public:
  using LineLocation = profile::LineLocation;
  LineLocation at(LineLocation place) const;
  bool is_identity() const { return identity_; }
  // Of a place that is not among those aligned.
  void set(LineLocation from, LineLocation to);
  // Call sites that were matched, of those there were.
  u32 matched = 0, anchors = 0;

 private:
  friend PlaceMap align_places(std::span<const Anchor>, std::span<const profile::LineLocation>,
                               std::span<const Anchor>, std::span<const profile::LineLocation>);
  std::vector<std::pair<profile::LineLocation, profile::LineLocation>> moved_;  // by the first
  bool identity_ = true;
};

// Pairs of positions, ascending in both.
using Alignment = std::vector<std::pair<u32, u32>>;

// Whether a call site of a profile is in the program at its place: a callee in common, or a callee
// that the program does not tell.
bool is_there(const Anchor& old, std::span<const Anchor> now);

// Call sites with a callee in common, or with an indirect call.
Alignment align_anchors(std::span<const Anchor> old_anchors, std::span<const Anchor> new_anchors);

// `old_places`: those that are to be found again; `new_places`: those that there are now, empty for
// probes. Both ascend.
PlaceMap align_places(std::span<const Anchor> old_anchors,
                      std::span<const profile::LineLocation> old_places,
                      std::span<const Anchor> new_anchors,
                      std::span<const profile::LineLocation> new_places);

}  // namespace pgokit::analysis
