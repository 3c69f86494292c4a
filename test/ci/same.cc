// A program whose runs differ as those of real ones do: threads that take work as they come, a seed
// from the system in its hashes, and loops whose length depends on it a little.
#include <sys/random.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <thread>
#include <vector>

namespace {

uint64_t seed() {
  uint64_t value = 0;
  return getrandom(&value, sizeof value, 0) == sizeof value ? value : 1;
}

__attribute__((noinline)) uint64_t hash(uint64_t value, uint64_t key) {
  for (int round = 0; round < 3; ++round) {
    value ^= key;
    value *= 0x9e3779b97f4a7c15;
    value ^= value >> 29;
  }
  return value;
}

// Its length is 20,000 and up to 15 more: in the middle between what 4 bits can tell apart.
__attribute__((noinline)) uint64_t fill(uint64_t key) {
  uint64_t sum = 0;
  for (uint64_t i = 0, n = 20000 + key % 16; i < n; ++i) sum += hash(i, key);
  return sum;
}

}  // namespace

int main() {
  constexpr int pieces = 64, threads = 4;
  uint64_t key = seed();
  std::atomic<int> next = threads;
  std::atomic<uint64_t> sum = 0;
  std::vector<std::thread> workers;
  for (int i = 0; i < threads; ++i)
    workers.emplace_back([&, i] {
      // The first piece is the thread's own: how many threads find any work is no matter of chance.
      for (int piece = i; piece < pieces; piece = next.fetch_add(1)) sum += fill(key);
    });
  for (auto& worker : workers) worker.join();
  std::printf("%d\n", sum != 0);
}
