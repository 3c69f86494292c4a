#include "transform/preinline/inline_rules.h"

#include <algorithm>

namespace pgokit::transform {
namespace {

// Grows with the calls. One more than what may be inlined, so that it is never 0.
u32 hot_threshold(u64 calls, const PreinlineOptions& options) {
  auto lower = static_cast<double>(options.cold_count);
  auto upper = static_cast<double>(options.upper_count);
  double hotness = std::min((static_cast<double>(calls) - lower) / (upper - lower), 1.0);
  double threshold = static_cast<double>(options.hot_threshold) * hotness * 100 +
                     static_cast<double>(options.cold_threshold) + 1;
  constexpr double limit = 9e18;
  return static_cast<u32>(static_cast<i64>(std::clamp(threshold, -limit, limit)));
}

}  // namespace

// Multiplied in 32 bits, as the judge does.
u32 growth_limit(u32 size, const PreinlineOptions& options) {
  u32 limit = size * static_cast<u32>(options.growth_limit);
  limit = std::min(limit, static_cast<u32>(options.limit_max));
  return std::max(limit, static_cast<u32>(options.limit_min));
}

bool shall_inline(const InlineCandidate& candidate, bool was_inlined,
                  const PreinlineOptions& options) {
  if (options.replay) return was_inlined;
  auto threshold = static_cast<u32>(options.cold_threshold);
  if (candidate.calls > options.cold_count) {
    threshold = hot_threshold(candidate.calls, options);
    if (was_inlined) threshold *= static_cast<u32>(options.inlined_multiplier);
  }
  return candidate.size < threshold;
}

}  // namespace pgokit::transform
