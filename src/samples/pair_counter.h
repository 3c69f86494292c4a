#pragma once

// Counts pairs of places, most of which are seen again soon.
//
//   PairCounter counter;
//   counter.add(pair, weight);
//   counter.for_each([&](u64 pair, u64 count) { ... });
//
// A small table of recent pairs stands in front of the hash map; it holds what was added to a pair
// since the pair came into it. Loops stay in it: it is small enough for the second-level cache.

#include <tsl/robin_map.h>

#include <vector>

#include "base/hash.h"

namespace pgokit::samples {

class PairCounter {
 public:
  PairCounter() : recent_(recent_size) {}

  void add(u64 pair, u64 weight) {
    Recent& slot = recent_[IntHash{}(pair) % recent_size];
    if (slot.pair != pair || slot.count == 0) [[unlikely]]
      return replace(slot, pair, weight);
    slot.count += weight;
  }

  void merge(const PairCounter& other) {
    other.for_each([&](u64 pair, u64 count) { counts_[pair] += count; });
  }

  // Some pairs come twice, with a part of their count each; never those that were only merged.
  template <class Each>
  void for_each(Each&& each) const {
    for (const auto& [pair, count] : counts_) each(pair, count);
    for (const auto& slot : recent_)
      if (slot.count) each(slot.pair, slot.count);
  }

 private:
  static constexpr size_t recent_size = 4096;
  struct Recent {
    u64 pair = 0, count = 0;  // no pair while the count is 0
  };

  void replace(Recent& slot, u64 pair, u64 weight) {
    if (slot.count) counts_[slot.pair] += slot.count;
    slot = {pair, weight};
    if (weight == 0) counts_.try_emplace(pair, 0);
  }

  std::vector<Recent> recent_;
  tsl::robin_map<u64, u64, IntHash> counts_;
};

}  // namespace pgokit::samples
