// Two files with local functions of the same names.
extern unsigned two(unsigned x);
static unsigned helper(unsigned x) {
  unsigned sum = 0;
  for (unsigned i = 0; i < x % 9; i++) sum += i * x;
  return sum;
}
__attribute__((noinline)) static unsigned work(unsigned x) { return helper(x) ^ helper(x + 1); }
int printf(const char*, ...);
int main(void) {
  unsigned x = 1;
  for (int i = 0; i < 6000000; i++) x = work(x) + two(x + (unsigned)i);
  printf("%u\n", x);
  return 0;
}
