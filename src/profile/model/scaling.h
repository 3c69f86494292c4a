#pragma once

// Counts of a profile made smaller or coarser, each by itself.
//
//   divide_counts(profile, 1024, threads);      // after weights that are parts of 1024
//   quantize_counts(profile, 4, threads);       // 4 significant bits: small differences vanish
//
// Counts of functions are rounded like those of places, so they are no longer exact sums of them.

#include "profile/model/profile.h"

namespace pgokit::profile {

// To the nearest, halves upwards. `by` is not 0.
u64 divided(u64 count, u64 by);
// The nearest number whose first `bits` bits alone are not 0, halves upwards. At least 1 bit.
u64 quantized(u64 count, unsigned bits);

void divide_counts(Profile& profile, u64 by, unsigned threads = 0);
void quantize_counts(Profile& profile, unsigned bits, unsigned threads = 0);

}  // namespace pgokit::profile
