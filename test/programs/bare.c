/* Needs no C library, so it can be built for every machine: recursion, a switch, pointers to
   functions, tail calls, static helpers that get inlined. */

typedef unsigned long word;
typedef word (*Visit)(word, word);

static word state = 88172645463325252;

static word next(void) {
  state ^= state << 13;
  state ^= state >> 7;
  return state ^= state << 17;
}

static word gcd(word a, word b) { return b == 0 ? a : gcd(b, a % b); }

__attribute__((noinline)) static word collatz(word n) {
  word steps = 0;
  for (; n > 1 && steps < 200; ++steps) n = n % 2 ? 3 * n + 1 : n / 2;
  return steps;
}

__attribute__((noinline)) static word deep(word n, word left) {
  if (left == 0) return collatz(n & 0xfff);
  return deep(n + left, left - 1) ^ gcd(n | 1, left);
}

__attribute__((noinline)) static word pass_on(word a, word b) { return deep(a & 0xffff, b & 7); }

static Visit visits[] = {gcd, deep, pass_on};

__attribute__((noinline)) word choose(word kind, word a, word b) {
  switch (kind) {
    case 0:
      return gcd(a, b);
    case 1:
      return collatz(a & 0xffff) + 1;
    case 2:
      return pass_on(a, b);
    case 3:
      return visits[b % 3](a & 0xff, b & 3);
    case 4:
      return a ^ b;
    case 5:
      return collatz(gcd(a, b | 1));
    default:
      return choose(kind - 6, b, a);
  }
}

int main(void) {
  word sum = 0;
  for (int i = 0; i < 1000; ++i) {
    word a = next(), b = next();
    sum += choose(next() % 9, a >> 8, b >> 9);
  }
  return (int)(sum & 1);
}

void _start(void) {
  main();
  for (;;) {
  }
}
