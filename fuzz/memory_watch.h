#pragma once

// Counts what a fuzz target asks for with new, so that it can say how much a reader may take. It
// replaces the global operators: for one .cc of a program.
//
//   size_t before = memory_watch::start();
//   ... read ...
//   if (memory_watch::most() - before > 4 * size + (1 << 20)) std::abort();

#include <malloc.h>

#include <algorithm>
#include <cstdlib>
#include <new>

namespace memory_watch {

inline size_t live_bytes = 0, most_bytes = 0;

// What is in use; most() counts from here.
inline size_t start() { return most_bytes = live_bytes; }
inline size_t most() { return most_bytes; }

inline void* take(size_t size) {
  void* memory = std::malloc(size);
  if (!memory) std::abort();
  live_bytes += malloc_usable_size(memory);
  most_bytes = std::max(most_bytes, live_bytes);
  return memory;
}

inline void give_back(void* memory) {
  if (!memory) return;
  live_bytes -= malloc_usable_size(memory);
  std::free(memory);
}

}  // namespace memory_watch

// NOLINTBEGIN(misc-definitions-in-headers)
void* operator new(size_t size) { return memory_watch::take(size); }
void* operator new(size_t size, const std::nothrow_t&) noexcept { return memory_watch::take(size); }
void operator delete(void* memory) noexcept { memory_watch::give_back(memory); }
void operator delete(void* memory, size_t) noexcept { memory_watch::give_back(memory); }
// NOLINTEND(misc-definitions-in-headers)
