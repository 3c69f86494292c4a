#include "measure/machine_load.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "measure/clock.h"

namespace pgokit::measure {

MachineTimes MachineTimes::now() {
  MachineTimes times{.elapsed_s = now_s()};
  auto* file = std::fopen("/proc/stat", "re");
  if (!file) return times;
  // user, nice, system, idle, waiting for disks, interrupts, soft interrupts, stolen
  unsigned long long ticks[8] = {};
  int found = std::fscanf(file, "cpu %llu %llu %llu %llu %llu %llu %llu %llu", &ticks[0], &ticks[1],
                          &ticks[2], &ticks[3], &ticks[4], &ticks[5], &ticks[6], &ticks[7]);
  std::fclose(file);
  double second = static_cast<double>(sysconf(_SC_CLK_TCK));
  times.known = found == 8;
  times.busy_s = static_cast<double>(ticks[0] + ticks[1] + ticks[2] + ticks[5] + ticks[6]) / second;
  times.stolen_s = static_cast<double>(ticks[7]) / second;
  return times;
}

MachineLoad MachineTimes::until(const MachineTimes& end, double own_s) const {
  MachineLoad load;
  load.processors = static_cast<unsigned>(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN)));
  double elapsed = end.elapsed_s - elapsed_s;
  if (!known || !end.known || elapsed <= 0) return load;
  // Ticks are 10 ms: in less time than that they tell more than there can be.
  load.others = std::clamp((end.busy_s - busy_s - own_s) / elapsed, 0.0, double(load.processors));
  load.stolen = std::max(0.0, (end.stolen_s - stolen_s) / elapsed);
  return load;
}

}  // namespace pgokit::measure
