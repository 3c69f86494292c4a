#pragma once

// Registers on the way into translated code and out of it: some of the program's lie in the
// thread's scratch area meanwhile.

#include "record/x86/registers.h"
#include "record/x86/scratch.h"
#include "record/x86/translate.h"

namespace pgokit::record {

// Notes all that `leave` restores: the thread may still be in it, and its tracer be killed now.
void note_registers(scratch::Header& header, const Registers& regs);
// Those of a thread that waits at the end of its window; others are in `regs` as they were before.
void take_registers(Registers& regs, const scratch::Header& header);
// From those of a thread at a place of which `state` tells.
void recover(Registers& regs, const Recovery& state, const scratch::Header& header);

}  // namespace pgokit::record
