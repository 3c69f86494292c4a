#pragma once

// Places in functions as small integers: a program has few different ones.
//
//   LocationTable locations;
//   u32 id = locations.intern({12, 0});
//   profile::LineLocation location = locations[id];

#include <tsl/robin_map.h>

#include <vector>

#include "base/hash.h"
#include "profile/model/function_samples.h"

namespace pgokit::generate {

class LocationTable {
 public:
  u32 intern(profile::LineLocation location) {
    auto [known, fresh] = ids_.try_emplace(key(location), static_cast<u32>(locations_.size()));
    if (fresh) locations_.push_back(location);
    return known->second;
  }

  // It is there. Any number of threads may ask.
  u32 find(profile::LineLocation location) const { return ids_.find(key(location))->second; }
  profile::LineLocation operator[](u32 id) const { return locations_[id]; }
  size_t size() const { return locations_.size(); }

 private:
  static u64 key(profile::LineLocation location) {
    return u64{location.line_offset} << 32 | location.discriminator;
  }

  tsl::robin_map<u64, u32, IntHash> ids_;
  std::vector<profile::LineLocation> locations_;
};

}  // namespace pgokit::generate
