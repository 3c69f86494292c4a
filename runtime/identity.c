/* Who counts, and since when. */
#define _GNU_SOURCE
#include <time.h>
#include <unistd.h>

#include "posix.h"

static uint64_t clock_ns(clockid_t clock) {
  struct timespec time = {0, 0};
  clock_gettime(clock, &time);
  return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

uint64_t pgokit_clock_ns(void) { return clock_ns(CLOCK_MONOTONIC); }
uint64_t pgokit_wall_ns(void) { return clock_ns(CLOCK_REALTIME); }

void pgokit_start_counting(uint32_t parent) {
  pgokit_self.pid = (uint32_t)getpid();
  pgokit_self.parent = parent;
  pgokit_self.start_time = pgokit_wall_ns();
  pgokit_self.start_clock = pgokit_clock_ns();
}
