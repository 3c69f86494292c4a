#pragma once

// What else the machine did meanwhile, from /proc/stat.
//
//   auto before = MachineTimes::now();
//   ...
//   auto load = before.until(MachineTimes::now(), cpu_seconds_of_our_own);

#include "base/types.h"

namespace pgokit::measure {

struct MachineLoad {
  unsigned processors = 1;
  double others = 0;  // processors that other programs kept busy, on average
  double stolen = 0;  // those that the host gave to other machines
};

struct MachineTimes {
  double elapsed_s = 0, busy_s = 0, stolen_s = 0;  // the last two of all processors
  bool known = false;

  static MachineTimes now();
  MachineLoad until(const MachineTimes& end, double own_s) const;
};

}  // namespace pgokit::measure
