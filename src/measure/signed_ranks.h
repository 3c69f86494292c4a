#pragma once

// How much two commands differ, from pairs of runs.
//
//   std::vector<double> differences;                     // log(time of B / time of A), pair by pair
//   if (auto shift = shift_of(differences, 0.95))        // std::exp(shift->low), ->estimate, ->high
//
// The interval is that of Wilcoxon's signed ranks: between two of the means of all pairs of
// differences, whose median is the estimate (Hodges and Lehmann). It takes for granted only that
// which of two runs of a pair came first was decided by chance: then a difference of 0 is as likely
// to be positive as negative, however times are distributed and however the machine's speed
// drifts, and the interval leaves it out with a probability of 1 - `confidence` at most, at any
// number of pairs. A bootstrap interval promises that only for many.

#include <optional>
#include <vector>

#include "base/types.h"

namespace pgokit::measure {

struct Shift {
  double low = 0, estimate = 0, high = 0;
};

// nullopt: there are fewer than least_pairs(confidence). At most `most_pairs`.
std::optional<Shift> shift_of(const std::vector<double>& differences, double confidence);
size_t least_pairs(double confidence);
inline constexpr size_t most_pairs = 2000;

}  // namespace pgokit::measure
