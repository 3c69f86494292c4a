#pragma once

#include <time.h>

#include "base/types.h"

namespace pgokit::record {

// The clock of the recording's times.
inline u64 monotonic_ns() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<u64>(now.tv_sec) * 1'000'000'000 + static_cast<u64>(now.tv_nsec);
}

}  // namespace pgokit::record
