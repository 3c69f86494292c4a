#include "test/support/memory_watch.h"

#include <malloc.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <new>

namespace memory_watch {
namespace {

std::atomic<size_t> live_bytes = 0, most_bytes = 0;

void* take(size_t size) {
  void* memory = std::malloc(size);
  if (!memory) return nullptr;
  size_t live = live_bytes += malloc_usable_size(memory);
  // Of two threads that ask at once the lesser may be noted.
  if (live > most_bytes) most_bytes = live;
  return memory;
}

void give_back(void* memory) {
  if (!memory) return;
  live_bytes -= malloc_usable_size(memory);
  std::free(memory);
}

}  // namespace

size_t start() { return most_bytes = live_bytes.load(); }
size_t most() { return most_bytes; }

}  // namespace memory_watch

void* operator new(size_t size) {
  void* memory = memory_watch::take(size);
  if (!memory) std::abort();
  return memory;
}
void* operator new(size_t size, const std::nothrow_t&) noexcept { return memory_watch::take(size); }
void operator delete(void* memory) noexcept { memory_watch::give_back(memory); }
void operator delete(void* memory, size_t) noexcept { memory_watch::give_back(memory); }
