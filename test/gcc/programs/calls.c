// Function pointers, static functions of which some are inlined, and a branch that is nearly always taken.
// Blocks share lines on purpose: discriminators tell them apart.
// clang-format off
#include <stdio.h>
#include <stdlib.h>

static unsigned counters[8];

__attribute__((noinline)) static unsigned rarely(unsigned x) {
  counters[0] += x;
  return counters[0] * 3 + x;
}

__attribute__((noinline)) static unsigned often(unsigned x) {
  counters[1] ^= x;
  return counters[1] + (x << 1);
}

static unsigned mixed(unsigned x) { return x % 7 == 0 ? x * 31 : x ^ counters[2]; }

typedef unsigned (*Step)(unsigned);
static Step steps[] = {often, often, often, rarely};

__attribute__((noinline)) unsigned dispatch(unsigned i) {
  Step step = steps[i % 64 == 0 ? 3 : i % 3];
  return step(i) + 1;
}

__attribute__((noinline)) unsigned guarded(unsigned i) {
  int left = (int)(i % 100) - 98;  // of the two ways GCC thinks this one likely
  if (left > 0)
    counters[3] -= i * 9;
  else
    counters[4] += i * 5;
  return i * 3;
}

__attribute__((noinline)) unsigned chosen(unsigned i) {
  switch (i % 8) {
    case 0: case 1: case 2: case 3: return mixed(i); case 4: return mixed(i + 1) * 3;
    case 5: return i / 3;
    default: for (unsigned n = 0; n < i % 5; ++n) counters[5] += n ^ i; return counters[5];
  }
}

int main(int argc, char** argv) {
  unsigned rounds = argc > 1 ? (unsigned)atoi(argv[1]) : 20000, sum = 0;
  for (unsigned round = 0; round < rounds; ++round)
    for (unsigned i = 0; i < 100; ++i) {
      sum += dispatch(i + round);
      sum ^= guarded(i);
      if (i & 1) sum += chosen(i + round); else sum -= mixed(sum);
    }
  printf("%u\n", sum);
  return 0;
}
