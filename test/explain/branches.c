/* One branch in each function, taken nine times in ten, whose ways do not become the same code. */
#include <stdio.h>
#include <stdlib.h>

static volatile unsigned left, right;

__attribute__((noinline)) void plain(unsigned x) {
  if (x % 10) {
    left += x;
  } else {
    right -= x;
    left ^= right;
  }
}

__attribute__((noinline)) void swapped(unsigned x) {
  if (x % 10) {
    left += x * 3;
  } else {
    right -= x;
    left ^= right + 1;
  }
}

__attribute__((noinline)) void expected(unsigned x) {
  if (__builtin_expect(x % 10 != 0, 0)) {
    left += x * 5;
  } else {
    right -= x;
    left ^= right + 2;
  }
}

// clang-format off
__attribute__((noinline)) void on_one_line(unsigned x) {
  if (x % 10) left += x * 7; else { right -= x; left ^= right + 3; }
}
// clang-format on

__attribute__((noinline)) void edited(unsigned x) {
#ifdef EDITED
  static volatile unsigned calls;

  if (++calls == 0) {
    right = calls;
    left = 2;
  }

#endif
  if (x % 10) {
    left += x * 9;
  } else {
    right -= x;
    left ^= right + 4;
  }
}

int main(int argc, char** argv) {
  unsigned rounds = argc > 1 ? (unsigned)atoi(argv[1]) : 20000;
  for (unsigned i = 0; i < rounds; ++i) {
    plain(i);
    swapped(i);
    expected(i);
    on_one_line(i);
    edited(i);
  }
  printf("%u %u\n", left, right);
  return 0;
}
