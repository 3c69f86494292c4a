#pragma once

// What the routines `dispatch` do to count an indirect branch (scratch.h, pairs).

#include <vector>

#include "record/x86/routine_parts.h"

namespace pgokit::record {

// The pair of the branch gs:edge and gs:target stands at the place gs:place of the index
// afterwards, so that the copy finds it there the next time; its offset is in ecx, and gs:jump is
// the target's copy. It is made where it has not been met before, without a count. Breaks rax, rdx
// and the flags. The jumps to be bound are taken where there is no copy, or no room for more pairs.
std::vector<u32> emit_pair_found(Assembler& out);
// add qword gs:[rcx + count], 1
void emit_pair_counted(Assembler& out);

}  // namespace pgokit::record
