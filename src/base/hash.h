#pragma once

// A hash for maps keyed by integers: tables whose size is a power of two need one that spreads
// every bit (the standard library's is the identity).

#include "base/types.h"

namespace pgokit {

struct IntHash {
  size_t operator()(u64 key) const {
    auto product = static_cast<unsigned __int128>(key) * 0x9e3779b97f4a7c15u;
    return static_cast<size_t>(product >> 64) ^ static_cast<size_t>(product);
  }
};

}  // namespace pgokit
