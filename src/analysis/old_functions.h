#pragma once

// The functions of a profile, all copies and contexts of each together: what is matched with a
// program.

#include <functional>
#include <span>
#include <vector>

#include "analysis/program_shape.h"
#include "profile/model/profile.h"

namespace pgokit::analysis {

struct PlaceSamples {
  profile::LineLocation at;
  u64 samples = 0;
};

struct OldFunction {
  std::vector<Anchor> anchors;                // callees by name of the profile's table
  std::vector<profile::LineLocation> places;  // ascending; those of anchors, too
  std::vector<PlaceSamples> counts;           // by place, those of bodies only
  u64 checksum = 0;
  u64 samples = 0;   // of its own places, wherever they are
  bool ran = false;  // its code has samples, perhaps only of what is inlined there
  bool used = false;
};

// By NameId of the profile.
std::vector<OldFunction> old_functions(const profile::Profile& profile);

// By NameId: the samples of its own places, wherever they are. But what is inlined into a function
// that is lost is lost with it, and counts there.
std::vector<u64> charged_samples(const profile::Profile& profile,
                                 const std::function<bool(NameId)>& is_lost);

// Without them a line is one place, of all blocks on it.
bool have_discriminators(std::span<const OldFunction> functions);

}  // namespace pgokit::analysis
