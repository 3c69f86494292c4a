#pragma once

// What is left out of the probes of a damaged program.
//
//   for (const auto& loss : losses(decoded.damage())) warn(loss);

#include <string>
#include <vector>

#include "base/types.h"

namespace pgokit::probe {

struct Damage {
  u64 names = 0;           // descriptors with a name that no profile can hold
  u64 probes = 0;          // their index is beyond largest_index
  u64 call_sites = 0;      // of inlined functions, likewise: not known
  bool truncated = false;  // what follows a broken record or descriptor is lost

  Damage& operator+=(const Damage& other) {
    names += other.names, probes += other.probes, call_sites += other.call_sites;
    truncated |= other.truncated;
    return *this;
  }
};

// One sentence for each kind.
std::vector<std::string> losses(const Damage& damage);

}  // namespace pgokit::probe
