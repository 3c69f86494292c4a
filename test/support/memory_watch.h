#pragma once

// Counts what a program asks for with new, so that a test can say how much a reader may take. The
// program is linked with memory_watch.cc, which replaces the global operators.
//
//   size_t before = memory_watch::start();
//   ... read ...
//   if (memory_watch::most() - before > 4 * size + (1 << 20)) std::abort();

#include <cstddef>

namespace memory_watch {

// What is in use, in bytes; most() counts from here.
size_t start();
size_t most();

}  // namespace memory_watch
