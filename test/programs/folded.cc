// Functions of equal code, which linkers keep once (--icf): all are called, and of one only a part.
#include <cstdlib>

namespace {

long table[1000];

}  // namespace

__attribute__((noinline)) long first(long n) {
  long sum = 0;
  for (long i = 0; i < n; ++i) sum += table[i] ^ i;
  return sum;
}

__attribute__((noinline)) long second(long n) {
  long sum = 0;
  for (long i = 0; i < n; ++i) sum += table[i] ^ i;
  return sum;
}

template <class T>
__attribute__((noinline)) T smallest(const T* list, long n) {
  T found = list[0];
  for (long i = 1; i < n; ++i)
    if (list[i] < found) found = list[i];
  return found;
}

int main(int argc, char** argv) {
  long rounds = argc > 1 ? std::atol(argv[1]) : 1000, sum = 0;
  for (long i = 0; i < 1000; ++i) table[i] = i * rounds;
  for (long i = 0; i < rounds / 20; ++i) {
    sum += first(1000) + second(990) + smallest(table, 900);
    sum += static_cast<long>(smallest(reinterpret_cast<const long long*>(table), 800));
  }
  return sum == 1;
}
