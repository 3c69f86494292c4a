/* How often each block runs can be told by hand: see tool.py. */
#include <stdio.h>
#include <stdlib.h>

#define KEPT __attribute__((noinline))

KEPT static int odd(int n) { return 3 * n + 1; }

KEPT static int even(int n) { return n / 2; }

KEPT static int steps(int n) {
  int count = 0;
  while (n != 1) {
    if (n & 1)
      n = odd(n);
    else
      n = even(n);
    ++count;
  }
  return count;
}

KEPT void usage(void) {
  puts("usage: collatz N");
  exit(2);
}

int main(int argc, char** argv) {
  if (argc < 2) usage();
  int last = atoi(argv[1]);
  long sum = 0;
  for (int i = 1; i <= last; ++i) sum += steps(i);
  printf("%ld\n", sum);
}
