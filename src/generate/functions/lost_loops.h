#pragma once

// Loops that fill or copy memory become a call of memset or memcpy, and the probes of their bodies
// are gone with them. Where a profile knows nothing of a loop's body, the compiler concludes that
// it never runs, and neither does what has the same condition: all that follows for the same
// `n > 0` is held for cold. But the loop runs where the call is.
//
//   add_lost_loops(program, calls, probes);
//   // probes.at(call) has the blocks that the call stands for
//
// `calls`: instructions that branches were made at, in any order, some more than once. A loop is
// known by its call, which has no probe (the compiler made it) and is jumped over where the loop
// would not run once, and by the block in front of that jump: its next two are nowhere in this copy
// of the function. Blocks are numbered in the order of the source, and one of the two behind a
// loop's head is its body.

#include <vector>

#include "probe/table.h"
#include "program/program.h"

namespace pgokit::generate {

void add_lost_loops(const program::Program& program, std::vector<program::CodeIndex> calls,
                    probe::Decoded& probes);

}  // namespace pgokit::generate
