#include "record/software/access_log.h"

#include <algorithm>
#include <utility>

namespace pgokit::record {

// The slot that the counter stands at is still being written to: of what is in it the last one need
// not be the one that stays. All before it hold theirs, as far as they have not been used again.
LoggedAccesses AccessLog::draw(TargetMemory& memory, u64 area, const scratch::Header& header) {
  namespace log = scratch::memory;
  constexpr double per_slot = 4294967296.0 / log::step;
  u64 full = header.logged >> 32;
  LoggedAccesses result{.made = static_cast<double>(full) * per_slot, .drawn = {}};
  u64 kept = std::min<u64>(full, log::slots - 1);
  // The first `kept` slots, or where the counter has gone round all of them.
  size_t read = full == kept ? kept : size_t{log::slots};
  if (kept == 0) return result;
  addresses_.resize(log::slots), numbers_.resize(log::slots);
  if (!memory.read(area + log::addresses, addresses_.data(), read * sizeof(u64)) ||
      !memory.read(area + log::numbers, numbers_.data(), read * sizeof(u32)))
    return {};
  // Slots that were drawn change places with the first ones.
  u64 first = full - kept;
  auto slot = [&](u64 n) { return static_cast<size_t>((first + n) % log::slots); };
  for (u64 n = 0; n < std::min<u64>(kept, most_drawn); ++n) {
    size_t at = slot(n), other = slot(n + random_() % (kept - n));
    std::swap(addresses_[at], addresses_[other]), std::swap(numbers_[at], numbers_[other]);
    result.drawn.push_back({.number = numbers_[at], .address = addresses_[at]});
  }
  return result;
}

}  // namespace pgokit::record
