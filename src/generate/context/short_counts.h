#pragma once

// Counts of millions of things in 32 bits each. The few that are larger stand in a list.
//
//   ShortCounts counts;
//   ShortCount entries{};                                // 0
//   counts.add(entries, 3);
//   u64 all = counts.get(entries);
//
// Any number of threads, each with counts of its own.

#include <memory>
#include <mutex>
#include <vector>

#include "base/saturated.h"

namespace pgokit::generate {

enum class ShortCount : u32 {};

class ShortCounts {
 public:
  u64 get(ShortCount count) const {
    auto word = static_cast<u32>(count);
    return word < first_long ? word : get_long(word);
  }
  void set(ShortCount& count, u64 value) {
    if (value < first_long && static_cast<u32>(count) < first_long) [[likely]]
      count = ShortCount{static_cast<u32>(value)};
    else
      set_long(count, value);
  }
  void add(ShortCount& count, u64 more) { set(count, add_saturated(get(count), more)); }

 private:
  // From here on it is a place in the list.
  static constexpr u32 first_long = u32{1} << 31;
  struct Long {
    std::mutex mutex;
    std::vector<u64> counts;
  };

  u64 get_long(u32 word) const;
  void set_long(ShortCount& count, u64 value);

  std::unique_ptr<Long> long_ = std::make_unique<Long>();
};

}  // namespace pgokit::generate
