// Call sites and places whose finding again is not plain: check and match of this very program must
// find nothing changed. Deep in a file, as functions of amalgamations are, the place of code that
// has no line (line 0, in 16 bits) is among those of lines.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NOINLINE __attribute__((noinline))
typedef unsigned (*Step)(unsigned);

#line 131030
NOINLINE static unsigned plus(unsigned x) { return x * 3 + 1; }
NOINLINE static unsigned minus(unsigned x) { return x / 2 - 1; }
static Step volatile only_plus = plus, only_minus = minus;

// A tail call through a pointer that is always the same.
NOINLINE static unsigned tail(unsigned x) {
  Step step = only_minus;
  x ^= x >> 3;
  return step(x);
}

// Several calls of one function, of which only the last ones run.
NOINLINE static unsigned repeated(unsigned x, int how) {
  if (how == 77) x = plus(x);
  if (how == 78) x = plus(x + 1) + minus(x);
  if (how == 79) x = minus(x + 3);
  x += how;
  if (how < 70) x = plus(x + 7);
  if (how < 71) x = minus(x);
  return x;
}

// A call through a pointer beside direct ones; this function is where lines pass 131,072.
NOINLINE static unsigned mixed(unsigned x) {
  unsigned sum = 0;
  for (int i = 0; i < 4; ++i) {
    sum += only_plus(x + i);
    switch ((x + i) % 7) {
      case 0:
        sum += plus(sum);
        break;
      case 1:
        sum ^= 5;
        break;
      case 2:
        sum = minus(sum);
        break;
      case 3:
        sum += tail(x);
        break;
      case 4:
        sum -= x;
        break;
      case 5:
        sum += repeated(x, i);
        break;
      default:
        sum = sum * 5 + x;
    }
  }
  return sum;
}

// Two ends that are alike: the compiler makes one of them, of no line.
NOINLINE static unsigned merged(unsigned x) {
  if (x & 4) {
    x += 12345;
    return repeated(x ^ 0x55, 3);
  }
  x -= 54321;
  return repeated(x ^ 0x55, 3);
}

NOINLINE static unsigned recursive(unsigned x, int depth) {
  if (depth == 0) return plus(x);
  if (x & 1) return recursive(x / 3, depth - 1);
  return recursive(x * 3 + 1, depth - 1) + 1;
}

int main(int argc, char** argv) {
  unsigned sum = 1, rounds = argc > 1 ? strtoul(argv[1], 0, 10) : 100000;
  for (unsigned i = 0; i < rounds; ++i)
    sum = sum * 17 + mixed(sum + i) + merged(i) + recursive(i, 9);
  printf("%u\n", sum);
}
