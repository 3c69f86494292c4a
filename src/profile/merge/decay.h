#pragma once

// Weights by age: after each half-life an input counts half as much.
//
//   u64 weight = decayed_weight(14 * seconds_of_day, 7 * seconds_of_day);     // 256, of 1024
//
// Weights are parts of full_weight, computed in integers alone, so that they are the same
// everywhere; after the sum has been made with them, its counts are divided by full_weight.

#include "base/types.h"

namespace pgokit::profile {

inline constexpr u64 full_weight = 1024;

// full_weight * 2^(-age / half_life), to the nearest; 0 from 11 half-lives on. Both in seconds up
// to latest_date; a half-life is at least 1.
u64 decayed_weight(u64 age, u64 half_life);

}  // namespace pgokit::profile
