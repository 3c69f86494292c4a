#include "record/x86/time_stamps.h"

#include <x86intrin.h>

#include "record/system/clock.h"

namespace pgokit::record {

u64 cycles_per_us() {
  constexpr u64 measured_ns = 2'000'000;
  u64 begin_ns = monotonic_ns(), begin = __rdtsc(), now_ns;
  do now_ns = monotonic_ns();
  while (now_ns - begin_ns < measured_ns);
  return (__rdtsc() - begin) * 1000 / (now_ns - begin_ns);
}

}  // namespace pgokit::record
