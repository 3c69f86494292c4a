#pragma once

// Counts of one build of a program for another build of it: what a function's name, kinds and
// control flow graph say to be the same is taken; a function whose graph has changed is refused.
//
//   auto carried = instrument::carry_over(profile, new_map);
//   profile = std::move(carried.profile);                // of the new build alone
//   carried.changed;                                     // functions that were refused

#include "instrument/module.h"

namespace pgokit::instrument {

struct CarriedOver {
  Profile profile;
  u64 taken = 0;
  u64 changed = 0;    // other graph or other counters
  u64 gone = 0;       // the new build has no function of the name
  u64 ambiguous = 0;  // several functions have the name
  std::string first_changed;
  // Left out, as places of calls are not comparable, and other modules are not there any more:
  u64 edges = 0;   // sampled calls
  u64 values = 0;  // targets and sizes
};

// What the profile holds of the new build itself is kept whole.
CarriedOver carry_over(const Profile& profile, const Module& build);

}  // namespace pgokit::instrument
