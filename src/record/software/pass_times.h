#pragma once

// How fast the program was in a window.
//
//   std::array<u32, 7> ends{9000, 29000, 34000, 39000, 40000, 41100, 48100};
//   double cycles = cycles_of_pass(ends);   // of 1,000, 1,100 and 7,000: 1,433
//
// A window makes its branches in passes of equal length, each of a few thousand cycles. The copy, and
// what it counts with, come into the caches in the first ones: that is no time of the program's. A
// page fault, or another program on the processor, makes a pass many times as long as the others:
// that is no time that samples are taken in. Passes count twice as long as usual at most.

#include <span>

#include "base/types.h"

namespace pgokit::record {

// `ends`: when each pass was over, oldest first, by a clock that began at 0 for the first one, and
// again after any of them. 0: too few passes to tell.
double cycles_of_pass(std::span<const u32> ends);

}  // namespace pgokit::record
