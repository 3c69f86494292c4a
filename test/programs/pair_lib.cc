#include "pair.h"

// The other file has a function of the same name.
static __attribute__((noinline)) uint32_t local(uint32_t x) { return mix(x) + 3; }

static uint32_t both(uint32_t x) {
  uint32_t sum = 0;
  for (uint32_t i = 0; i < (x & 15); ++i) sum += mix(x + i);
  return sum;
}

Worker::~Worker() = default;
uint32_t Worker::work(uint32_t x) { return both(x) ^ local(x); }

uint32_t small_helper(uint32_t x) { return mix(x) & 0xff ? x + 1 : both(x); }

uint32_t far_helper(uint32_t x, int rounds) {
  uint32_t data[8] = {x, x + 1, x + 2, x + 3, x + 5, x + 8, x + 13, x + 21};
  if (rounds > 0) return far_helper(fold(data, 8, x), rounds - 1);
  return local(x);
}

// Called by nobody: goes with --gc-sections.
uint32_t unused_helper(uint32_t x) { return both(x) * local(x); }
