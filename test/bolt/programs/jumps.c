// Jump tables, computed gotos, tail calls and conditional tail calls, with the cold code of each.
#include <stdio.h>
#include <stdlib.h>

typedef unsigned long u64;
static volatile u64 sink;

__attribute__((noinline)) static u64 by_switch(u64 x) {
  switch (x % 11) {
    case 0:
      return x + 3;
    case 1:
      sink += x;
      return x * 5;
    case 2:
      for (int i = 0; i < 3; i++) sink ^= i;
      return x;
    case 3:
      return x / 3;
    case 4:
      sink -= 2;
      break;
    case 5:
      if (x & 32) sink++;
      break;
    case 6:
      return sink;
    case 7:
      sink = x << 1;
      break;
    case 8:
      return x ^ 0x55;
  }
  return x - 1;
}

__attribute__((noinline)) static u64 by_goto(u64 x) {
  static const void* const steps[] = {&&add, &&mix, &&turn, &&leave};
  u64 sum = x;
  goto* steps[x & 3];
add:
  sum += 7;
  goto* steps[sum & 3];
mix:
  sum ^= sum >> 3;
  if (sum & 1) sum += 2;
  sum++;
  goto* steps[sum % 4];
turn:
  sum = (sum << 3) | (sum >> 61);
  if (sum % 5 == 0) goto add;
leave:
  return sum;
}

__attribute__((noinline)) static u64 leaf(u64 x) { return x * 2862933555777941757u + 1; }
__attribute__((noinline)) static u64 tail(u64 x) { return x & 1 ? leaf(x) : leaf(x + 1); }
__attribute__((noinline)) static u64 maybe_tail(u64 x) {
  if (x % 3 == 0) return leaf(x);
  sink += x;
  return x;
}
__attribute__((cold, noinline)) void complain(u64 x) { fprintf(stderr, "odd: %lu\n", x); }
__attribute__((noinline)) static u64 rare(u64 x) {
  if (__builtin_expect(x == 0xfeedfacecafeul, 0)) {
    complain(x);
    sink = 1;
  }
  while (x > 40 && (x & 7)) x -= x >> 2;
  return x;
}

__attribute__((noinline)) static u64 fib(u64 n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }

typedef u64 (*step)(u64);
static step steps[] = {by_switch, by_goto, tail, maybe_tail, rare};
__attribute__((noinline)) static u64 dispatch(u64 i, u64 x) { return steps[i % 5](x); }

int main(int argc, char** argv) {
  u64 x = 12345, rounds = argc > 1 ? strtoul(argv[1], 0, 10) : 6000000;
  for (u64 i = 0; i < rounds; i++) x = dispatch(i, leaf(x) >> 7) + i;
  x += fib(14);
  printf("%lu\n", x);
  return 0;
}
