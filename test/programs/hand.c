// A loop that calls, for inputs written by hand (test/differential/hand.py).
__attribute__((noinline)) int leaf(int x) { return x * 3 + 1; }

__attribute__((noinline)) int work(int count) {
  int sum = 0;
  for (int i = 0; i < count; ++i) sum += leaf(i);
  return sum;
}

int main(int argc, char** argv) {
  (void)argv;
  return work(argc * 100) & 1;
}
