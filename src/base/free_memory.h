#pragma once

// Gives what was freed back to the system. The allocator keeps small pieces for later; where many
// of them were freed and little of their size is wanted again, that is memory that the next large
// array does not get.

#include <malloc.h>

namespace pgokit {

inline void return_free_memory() { malloc_trim(0); }

// Of a container, which is empty then. Assigning {} to a vector empties it and keeps its memory.
template <class Container>
void free_memory_of(Container& container) {
  container = Container();
}

}  // namespace pgokit
