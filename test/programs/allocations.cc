// Allocations of several sizes, lifetimes and callers: test/differential/instr.py profiles them.
#include <cstring>
#include <vector>

__attribute__((noinline)) static char* allocate(int size) { return new char[size]; }
__attribute__((noinline)) static char* through(int size) { return allocate(size + 1); }

int main() {
  std::vector<char*> kept;
  for (int i = 0; i < 100; ++i) {
    char* bytes = through(i * 8 + 16);
    memset(bytes, i, 16);
    if (i % 3)
      delete[] bytes;
    else
      kept.push_back(bytes);
  }
  int* used_often = new int[1000]();
  for (int i = 0; i < 1'000'000; ++i) used_often[i % 1000] += i;
  int sum = used_often[7];
  delete[] used_often;
  allocate(100'000)[0] = 1;
  return kept.size() != 34 || sum == 0;
}
