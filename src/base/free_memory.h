#pragma once

// Gives what was freed back to the system. The allocator keeps small pieces for later; where many
// of them were freed and little of their size is wanted again, that is memory that the next large
// array does not get.

#include <utility>

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace pgokit {

// Other C libraries do it by themselves, or not at all.
inline void return_free_memory() {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}

// Large tables go back to the system when they are done with: left to itself, glibc keeps them once
// it has seen a few.
constexpr int large_table = 1 << 22;
inline void always_return_large_tables() {
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, large_table);
#endif
}

// Of a container, which is empty then. Assigning {} to a vector empties it and keeps its memory.
template <class Container>
void free_memory_of(Container& container) {
  container = Container();
}

// What is not needed again before the process ends. The system takes all memory back at once then,
// which is faster than to free piece by piece. For one object of each type: others are freed.
template <class Object>
void leave_to_exit(Object object) {
  [[maybe_unused]] static const auto* left = new Object(std::move(object));
}

}  // namespace pgokit
