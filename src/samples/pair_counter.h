#pragma once

// Counts pairs of places.
//
//   PairCounter counter;
//   counter.add(pair, weight);
//   counter.for_each([&](u64 pair, u64 count) { ... });
//
// What is added waits a little while its slot comes into the cache: of a large program nearly every
// pair is a cache miss, and so many of them are under way at once.

#include <array>

#include "base/flat_map.h"

namespace pgokit::samples {

class PairCounter {
 public:
  void add(u64 pair, u64 weight) {
    counts_.prefetch(pair);
    waiting_[used_++] = {pair, weight};
    if (used_ == waiting_.size()) [[unlikely]]
      flush();
  }

  void merge(const PairCounter& other) {
    other.for_each([&](u64 pair, u64 count) { add(pair, count); });
    flush();
  }
  // Nothing waits any longer.
  void flush() {
    for (size_t i = 0; i < used_; ++i) counts_[waiting_[i].pair] += waiting_[i].weight;
    used_ = 0;
  }

  size_t size() const { return counts_.size() + used_; }  // at most so many pairs
  // Some pairs come twice, with a part of their count each; none after flush() or merge().
  template <class Each>
  void for_each(Each&& each) const {
    counts_.for_each(each);
    for (size_t i = 0; i < used_; ++i) each(waiting_[i].pair, waiting_[i].weight);
  }

 private:
  struct Added {
    u64 pair, weight;
  };

  std::array<Added, 64> waiting_{};
  size_t used_ = 0;
  FlatMap<u64> counts_;
};

}  // namespace pgokit::samples
