#include "record/software/budget.h"

#include <algorithm>

namespace pgokit::record {
namespace {

// No divisor of the periods that programs themselves have.
constexpr u64 odd_ns = 37;

}  // namespace

Budget::Budget(double share) : share_(share) { period_ns_ = wanted_period_ns(); }

Budget Budget::fixed(u64 period_ns) {
  Budget budget;
  budget.period_ns_ = period_ns + odd_ns;
  return budget;
}

u64 Budget::wanted_period_ns() const {
  constexpr double shortest = 200e3, longest = 100e6;
  return static_cast<u64>(std::clamp(mean_ns_ / share_, shortest, longest)) + odd_ns;
}

// A window during which the machine stood still must not be the last one, nor tell what they cost.
// To change the period of the kernel's timers costs about as much as a window does.
void Budget::spend(u64 ns) {
  constexpr double weight = 1.0 / 32, step = 1.3, most_above = 8;
  auto cost = static_cast<double>(ns);
  credit_ns_ = std::max(credit_ns_ - cost, 2 * most_debt_ns);
  mean_ns_ += (std::min(cost, most_above * mean_ns_) - mean_ns_) * weight;
  if (share_ == 0) return;
  u64 wanted = wanted_period_ns();
  double ratio = static_cast<double>(wanted) / static_cast<double>(period_ns_);
  if (ratio > step || ratio < 1 / step) period_ns_ = wanted;
}

}  // namespace pgokit::record
