#include "record/system/idle_time.h"

#include <sched.h>
#include <unistd.h>

#include <cstdio>
#include <string_view>

namespace pgokit::record {

// "cpu1 USER NICE SYSTEM IDLE ...", in ticks, below the line of all processors.
u64 idle_ns() {
  cpu_set_t usable;
  auto* file = std::fopen("/proc/stat", "re");
  if (!file) return 0;
  bool is_told = sched_getaffinity(0, sizeof usable, &usable) == 0;
  u64 ticks = 0;
  char line[256];
  while (is_told && std::fgets(line, sizeof line, file) &&
         std::string_view(line).starts_with("cpu")) {
    unsigned processor = 0;
    unsigned long long idle = 0;
    bool is_one = std::sscanf(line, "cpu%u %*u %*u %*u %llu", &processor, &idle) == 2;
    if (is_one && processor < CPU_SETSIZE && CPU_ISSET(processor, &usable)) ticks += idle;
  }
  std::fclose(file);
  return ticks * (1'000'000'000 / static_cast<u64>(sysconf(_SC_CLK_TCK)));
}

}  // namespace pgokit::record
