#pragma once

// How fast the program was by itself where a window begins.
//
//   std::array<u32, 6> ends{9000, 10000, 11100, 47000, 48000, 49100};
//   double cycles = cycles_at_first(ends);   // of a pass: 1,500
//
// A window makes its branches in passes of equal length, each of a few thousand cycles. The first
// one waits for all that it needs, as the thread has just been stopped. A page fault, or another
// program on the processor, makes a pass many times as long as the others: that is no time that
// samples are taken in, which are of the program's own. Passes count three times as long as usual
// at most.

#include <span>

#include "base/types.h"

namespace pgokit::record {

// `ends`: when each pass was over, oldest first, by a clock that began at 0 for the first one, and
// again after any of them. 0: too few passes to tell.
double cycles_at_first(std::span<const u32> ends);

}  // namespace pgokit::record
