#include "record/system/own_processor.h"

#include <sched.h>

namespace pgokit::record {

bool leave_processor(int processor) {
  if (processor < 0 || sched_getcpu() != processor) return true;
  // Of more processors than a set has room for the kernel tells none.
  cpu_set_t all, others;
  if (sched_getaffinity(0, sizeof all, &all) != 0) return false;
  others = all;
  CPU_CLR(static_cast<unsigned>(processor), &others);
  if (CPU_COUNT(&others) == 0 || sched_setaffinity(0, sizeof others, &others) != 0) return false;
  sched_setaffinity(0, sizeof all, &all);
  return true;
}

}  // namespace pgokit::record
