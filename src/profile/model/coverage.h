#pragma once

// Profiles that say which functions ran and nothing of how often: their list of symbols has those
// that never ran, and this function stands for counts, since compilers refuse a profile without any
// function. No program has it.
//
//   if (is_coverage(profile)) print("{} functions never ran", profile.symbols.size());

#include "profile/model/profile.h"

namespace pgokit::profile {

inline constexpr std::string_view coverage_marker = "__pgokit_coverage";

// Also of a hash of the marker.
bool is_coverage(const Profile& profile);

}  // namespace pgokit::profile
