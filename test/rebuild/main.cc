// main ROUNDS
#include <cstdio>
#include <cstdlib>

#include "work.h"

static unsigned twist(unsigned x) { return (x << 5 | x >> 27) + often(x >> 3); }

int main(int argc, char** argv) {
  unsigned sum = 1, rounds = argc > 1 ? static_cast<unsigned>(std::atoi(argv[1])) : 1000;
  for (unsigned i = 0; i < rounds * 1000; ++i) {
    sum += often(i);
    if (i % 16 == 0) sum = with_state(twist, sum);
    if (i % 16384 == 0) sum ^= seldom(i * 2);
  }
  std::printf("%u\n", sum);
}
