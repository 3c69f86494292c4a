/* One branch in each function, taken nine times in ten, whose ways do not become the same code; and functions of
   whose branches the compiler makes several, or one that the source does not have. */
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

// Unrolled: each copy goes the first way otherwise often.
__attribute__((noinline)) void copied(unsigned x) {
  for (unsigned i = 1; i <= 4; ++i) {
    if ((x + 7 * i) % 20 < i * i) {
      left += x * i;
    } else {
      right -= x;
      left ^= right + 5;
    }
  }
}

// Two comparisons, and one branch to clang's profile.
__attribute__((noinline)) void divided(unsigned x, unsigned y) {
  if (x == 3 || y == 5) {
    left += x * 11;
  } else {
    right -= x;
    left ^= right + 6;
  }
}

// A conditional move, until the test makes it a branch.
__attribute__((noinline)) void even(unsigned x, unsigned y) { left = x % 10 ? x : y; }

// Both ways of its branches lead where the other branch does, too.
__attribute__((noinline)) void joined(unsigned x, unsigned y) {
  if (y % 3 == 0) {
    if (x % 10) goto first;
    goto second;
  }
  if (y % 8) goto second;
first:
  left += x * 13;
  return;
second:
  right -= x;
  left ^= right + 7;
}

int main(int argc, char** argv) {
  unsigned rounds = argc > 1 ? (unsigned)atoi(argv[1]) : 20000;
  for (unsigned i = 0; i < rounds; ++i) {
    plain(i);
    swapped(i);
    expected(i);
    on_one_line(i);
    edited(i);
    copied(i);
    divided(i % 10 < 4 ? 3 : i, i % 16);
    even(i, ~i);
    joined(i, i / 10);
  }
  printf("%u %u\n", left, right);
  return 0;
}
