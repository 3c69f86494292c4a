#include "measure/signed_ranks.h"

#include <algorithm>
#include <cmath>

namespace pgokit::measure {
namespace {

// Up to here the sums of ranks are counted; above, they are as good as normally distributed.
constexpr size_t most_counted = 60;

// The largest sum of positive ranks of `n` pairs that chance gives, or a smaller one, with a
// probability of at most `share`; -1: even 0 is likelier.
i64 critical_sum(size_t n, double share) {
  if (n > most_counted) {
    auto pairs = static_cast<double>(n);
    double mean = pairs * (pairs + 1) / 4;
    double deviation = std::sqrt(pairs * (pairs + 1) * (2 * pairs + 1) / 24);
    double low = -10, high = 0;  // in deviations: where the normal distribution reaches `share`
    for (int step = 0; step < 60; ++step) {
      double middle = (low + high) / 2;
      (std::erfc(-middle / std::sqrt(2.0)) / 2 < share ? low : high) = middle;
    }
    return static_cast<i64>(std::floor(mean + low * deviation - 0.5));
  }
  // The probability of each sum: every rank is positive or not.
  std::vector<double> sums(n * (n + 1) / 2 + 1);
  sums[0] = 1;
  size_t largest = 0;
  for (size_t rank = 1; rank <= n; ++rank) {
    largest += rank;
    for (size_t sum = largest + 1; sum-- > 0;)
      sums[sum] = (sums[sum] + (sum >= rank ? sums[sum - rank] : 0)) / 2;
  }
  i64 critical = -1;
  double total = 0;
  for (double probability : sums) {
    total += probability;
    if (total > share) break;
    ++critical;
  }
  return critical;
}

}  // namespace

size_t least_pairs(double confidence) {
  size_t n = 1;
  while (critical_sum(n, (1 - confidence) / 2) < 0) ++n;
  return n;
}

std::optional<Shift> shift_of(const std::vector<double>& differences, double confidence) {
  size_t n = differences.size();
  i64 critical = n ? critical_sum(n, (1 - confidence) / 2) : -1;
  if (critical < 0) return std::nullopt;
  std::vector<double> means;
  means.reserve(n * (n + 1) / 2);
  for (size_t i = 0; i < n; ++i)
    for (size_t j = 0; j <= i; ++j) means.push_back((differences[i] + differences[j]) / 2);
  auto nth = [&](size_t at) {
    std::ranges::nth_element(means, means.begin() + static_cast<ptrdiff_t>(at));
    return means[at];
  };
  auto outside = static_cast<size_t>(critical);
  size_t half = means.size() / 2;
  double upper = nth(half), lower = means.size() % 2 ? upper : nth(half - 1);
  return Shift{nth(outside), (lower + upper) / 2, nth(means.size() - 1 - outside)};
}

}  // namespace pgokit::measure
