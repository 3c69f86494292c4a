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

double Budget::share_of_windows() const {
  constexpr double least = 2.0 / 3;
  return std::max(share_ - followed_ns_ / std::max(run_ns_, 1.0), least * share_);
}

u64 Budget::wanted_period_ns() const {
  constexpr double shortest = 200e3, longest = 100e6, in_debt = 0.7;
  double share = share_of_windows() * (credit_ns_ < 0 ? in_debt : 1);
  return static_cast<u64>(std::clamp(mean_ns_ / share, shortest, longest)) + odd_ns;
}

// A program that runs for a moment must not take twice as long for it.
double Budget::most_debt_ns() const {
  constexpr double at_first = 40e6, earned_in = 400e6, of_earned = 0.5, most = 200e6;
  double first = std::min(at_first, earned_in * share_);
  return std::min(first + of_earned * share_ * run_ns_, most);
}

// A window during which the machine stood still must not be the last one, nor tell what they cost.
void Budget::spend(u64 ns) {
  constexpr double weight = 1.0 / 32, step = 1.3, most_above = 8;
  auto cost = static_cast<double>(ns);
  credit_ns_ = std::max(credit_ns_ - cost, -2 * most_debt_ns());
  mean_ns_ += (std::min(cost, most_above * mean_ns_) - mean_ns_) * weight;
  if (share_ == 0) return;
  u64 wanted = wanted_period_ns();
  double ratio = static_cast<double>(wanted) / static_cast<double>(period_ns_);
  if (ratio > step || ratio < 1 / step) period_ns_ = wanted;
}

}  // namespace pgokit::record
