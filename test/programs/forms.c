// What profiles of every form are made for: a static callee, an inlined one, calls through a
// pointer.
static __attribute__((noinline)) int leaf(int x) { return x * 7 + 1; }
static int inner(int x) {
  if (x & 1) return leaf(x);
  return x - 3;
}
typedef int (*Op)(int);
int other(int);
int work(int x, Op op) {
  int sum = 0;
  for (int i = 0; i < x; ++i) {
    sum += inner(i);
    sum ^= op(i);
  }
  return sum;
}
