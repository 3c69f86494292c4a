#pragma once

// share(1, 4) is 0.25; of nothing it is 0.

#include "base/types.h"

namespace pgokit {

inline double share(u64 part, u64 whole) {
  return whole ? static_cast<double>(part) / static_cast<double>(whole) : 0;
}

}  // namespace pgokit
