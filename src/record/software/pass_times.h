#pragma once

// How long the branches of a window have taken the program by itself.
//
//   std::array<u32, 4> ends{1000, 2100, 38000, 39000};
//   u64 cycles = cycles_without_interruptions(ends);   // 6,400
//
// A window makes its branches in passes of equal length, each of a few thousand cycles. A page
// fault, or another program on the processor, makes a pass many times as long as the others: that
// is no time that samples are taken in, which are of the program's own. Passes count three times as
// long as usual at most.

#include <span>

#include "base/types.h"

namespace pgokit::record {

// `ends`: when each pass was over, oldest first, by a clock that began at 0 for the first one, and
// again after any of them. 0: too few passes to tell.
u64 cycles_without_interruptions(std::span<const u32> ends);

}  // namespace pgokit::record
