#pragma once

// One function of a profile beside the function of a program that has its name: what `check` and
// `match` both take for changed.
//
//   auto match = match_function(old, anchors_of(name), shape.functions[now], shape, true);
//   if (match.changed) use(match.map);
//
// With probes a function has changed when its checksum differs. Lines have none: there it has
// changed when another function is called at a call site, or when more of its call sites and places
// (by one in fifty) are found elsewhere than where they were. What the program has at every place of the profile is
// unchanged, whatever else there is in it: a profile has only what ran. A profile without
// discriminators has one place for each line, so that what the program has of them is left out.

#include "analysis/old_functions.h"
#include "analysis/place_map.h"

namespace pgokit::analysis {

struct FunctionMatch {
  bool changed = false;
  u64 call_sites = 0, call_sites_there = 0;  // of profiles of lines
  PlaceMap map;
};

// `anchors`: those of `old`, with callees by their names in the program. `discriminators`: whether
// the profile has any.
FunctionMatch match_function(const OldFunction& old, std::vector<Anchor> anchors,
                             const FunctionShape& now, const ProgramShape& program,
                             bool discriminators);

}  // namespace pgokit::analysis
