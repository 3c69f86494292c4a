__attribute__((noinline)) static unsigned helper(unsigned x) { return x & 4 ? x * 3 : x - 1; }
__attribute__((noinline)) static unsigned work(unsigned x) {
  unsigned y = x;
  while (y % 7) y = helper(y) + 1 > 1000 ? 7 : helper(y) / 2 + y % 3 * 7;
  return y;
}
unsigned two(unsigned x) { return work(x) + helper(x); }
