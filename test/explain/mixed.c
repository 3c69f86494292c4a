/* Loops with several blocks on a line, and static functions that stay. */
#include <stdio.h>
#include <stdlib.h>

static unsigned table[256];

__attribute__((noinline)) static unsigned mix(unsigned x, unsigned y) {
  if (x & 1) return x * 31 + y;
  if (y % 7 == 3) return x ^ (y << 3);
  return x > y ? x - y : y % 5 ? y - x : x + y;
}

__attribute__((noinline)) static unsigned settle(unsigned value, unsigned limit) {
  unsigned steps = 0;
  while (value > limit) {
    value = value % 3 == 0 ? value / 3 : value % 2 ? value - 1 : value / 2;
    ++steps;
  }
  return steps;
}

__attribute__((noinline)) unsigned scan(const unsigned* values, unsigned count) {
  unsigned sum = 0;
  for (unsigned i = 0; i < count; ++i) {
    if (values[i & 255] > sum) {
      sum += mix(values[i & 255], i);
    } else if (sum & 64) {
      sum >>= 1;
    } else {
      sum ^= settle(i, 9);
    }
  }
  return sum;
}

__attribute__((noinline)) void fill(unsigned seed) {
  for (unsigned i = 0; i < 256; ++i) {
    seed = seed * 1103515245 + 12345;
    table[i] = seed >> 16;
    if ((seed & 0xff) == 0) table[i] = mix(seed, i);
  }
}

int main(int argc, char** argv) {
  unsigned sum = (unsigned)argc;
  int rounds = argc > 1 ? atoi(argv[1]) : 50;
  for (int i = 0; i < rounds; ++i) {
    fill(sum);
    sum += scan(table, 700);
  }
  printf("%u\n", sum);
  return 0;
}
