#pragma once

#include <ctime>

namespace pgokit::measure {

// Of a clock that nobody sets.
inline double now_s() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

}  // namespace pgokit::measure
