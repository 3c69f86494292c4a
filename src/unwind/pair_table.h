#pragma once

// Numbers for pairs of places, most of which are seen again soon.
//
//   PairTable table;
//   u32 id = table.id(pair_of(start, last));       // ids ascend from 0 in order of first sight
//   table.pairs()[id];
//
// A small table of recent pairs stands in front of the hash map: it fits into the second-level
// cache.

#include <tsl/robin_map.h>

#include <vector>

#include "base/hash.h"
#include "unwind/places.h"

namespace pgokit::unwind {

inline u64 pair_of(Place a, Place b) { return u64{a} << 32 | b; }
inline Place first_of(u64 pair) { return static_cast<u32>(pair >> 32); }
inline Place second_of(u64 pair) { return static_cast<u32>(pair); }

class PairTable {
 public:
  PairTable() : recent_(recent_size) {}

  u32 id(u64 pair) {
    Recent& slot = recent_[IntHash{}(pair) % recent_size];
    if (slot.pair != pair || slot.id == none) [[unlikely]]
      slot = {pair, find(pair)};
    return slot.id;
  }
  const std::vector<u64>& pairs() const { return pairs_; }

 private:
  static constexpr size_t recent_size = 4096;
  static constexpr u32 none = ~u32{0};
  struct Recent {
    u64 pair = 0;
    u32 id = none;
  };

  u32 find(u64 pair) {
    auto [found, fresh] = ids_.try_emplace(pair, static_cast<u32>(pairs_.size()));
    if (fresh) pairs_.push_back(pair);
    return found->second;
  }

  std::vector<Recent> recent_;
  tsl::robin_map<u64, u32, IntHash> ids_;
  std::vector<u64> pairs_;
};

}  // namespace pgokit::unwind
