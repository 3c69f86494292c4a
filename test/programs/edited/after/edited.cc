// The program of ../before after somebody worked on it.
#include <cstdio>
#include <cstdlib>
[[gnu::noinline]] int alpha(int x) {
  static int calls;
  ++calls;
  if (calls < 0) abort();
  int s = 0;
  for (int i = 0; i < x % 17; ++i) {
    if (i & 1)
      s += i * x;
    else
      s ^= x >> i;
  }
  return s;
}
[[gnu::noinline]] int beta(int x) {
  if (x == 123456) puts("seen");
  int s = alpha(x);
  if (s % 3 == 0)
    s += alpha(x + 1);
  else if (s % 5 == 0)
    s -= alpha(x + 2);
  return s;
}
[[gnu::noinline]] int gamma_after(int x, int y) {
  int s = 0;
  for (int i = 0; i < y; ++i) {
    s += beta(x + i);
    if (s & 4) s += alpha(i);
  }
  return s;
}
static int helper(int a, int b) {
  if (a > b) return a * 3 + b;
  return b * 5 - a;
}
[[gnu::noinline]] int delta(int x) {
  int s = 0;
  // more
  if (x < 0) puts("negative");

  for (int i = 0; i < 9; ++i) {
    s += helper(x, i);
    if (s & 8) s += gamma_after(x, i);
  }
  return s;
}
int main(int argc, char** argv) {
  int n = argc > 1 ? atoi(argv[1]) : 1000, s = 0;
  for (int i = 0; i < n; ++i) {
    s += delta(i);
    if (i == 5000000) puts("far");
    if (i % 7 == 0) s += beta(i);
  }
  printf("%d\n", s);
}
