#pragma once

// Numbers for pairs of places, most of which are seen again soon.
//
//   PairTable table;
//   u32 id = table.id(pair_of(start, last));       // ids ascend from 0 in order of first sight
//   table.pairs()[id];
//
// All pairs of a sample are known before the first one is asked for: prefetch() brings them into
// the cache together.

#include <vector>

#include "base/flat_map.h"
#include "unwind/places.h"

namespace pgokit::unwind {

inline u64 pair_of(Place a, Place b) { return u64{a} << 32 | b; }
inline Place first_of(u64 pair) { return static_cast<u32>(pair >> 32); }
inline Place second_of(u64 pair) { return static_cast<u32>(pair); }

class PairTable {
 public:
  void prefetch(u64 pair) const { ids_.prefetch(pair); }
  u32 id(u64 pair) {
    auto [id, fresh] = ids_.find_or_add(pair, static_cast<u32>(pairs_.size()));
    if (fresh) [[unlikely]]
      pairs_.push_back(pair);
    return id;
  }
  const std::vector<u64>& pairs() const { return pairs_; }

 private:
  FlatMap<u32> ids_;
  std::vector<u64> pairs_;
};

}  // namespace pgokit::unwind
