// A program of two files: same-named static functions, shared inline ones, calls across.
#include <cstdio>

#include "pair.h"

static __attribute__((noinline)) uint32_t local(uint32_t x) { return mix(x) * 5; }

static uint32_t both(uint32_t x) { return small_helper(x) + local(x); }

struct Busy : Worker {
  uint32_t work(uint32_t x) override {
    if (x % 64 == 0) return Worker::work(x);
    return both(x);
  }
};

static __attribute__((noinline)) uint32_t through(Worker& worker, uint32_t x) {
  return worker.work(x) + 1;
}

__attribute__((cold, noinline)) static void report(uint32_t x) { std::printf("odd: %u\n", x); }

int main(int argc, char**) {
  Worker plain;
  Busy busy;
  uint32_t data[16] = {}, sum = 0;
  for (uint32_t i = 0; i < 20000u * static_cast<uint32_t>(argc); ++i) {
    Worker& worker = i % 5 ? static_cast<Worker&>(busy) : plain;
    sum += through(worker, i);
    data[i % 16] += sum;
    if (i % 32 == 0) sum ^= far_helper(sum, static_cast<int>(i % 7));
    if (sum == 0xdeadbeef) report(i);
  }
  std::printf("%u\n", fold(data, 16, sum));
}
