#pragma once

// Stubs that log an access to memory before an instruction makes it, in copies of windows
// (translate.h, CopyFor::memory).
//
// A log of every access would be as long as a window. So there is a counter of 64 bits in the
// scratch area to which each access adds `step`; its bits 32 to 47 are the number of the slot that
// the access is written to. Some 52 accesses in a row go to the same slot, and the last of them
// stays: an even sample of the whole window, without a test or a branch. 2^32 / step is no whole
// number, nor near a simple fraction: accesses that come in a regular order all have their turn.
//
// The window's first value of the counter has 32 random bits, so each access has the same chance.

#include "record/x86/assembler.h"
#include "record/x86/memory_access.h"

namespace pgokit::record {

// Writes the access numbered `number` to the log. rcx and r11 are saved, and broken; all else,
// the flags too, is left alone.
void log_access(Assembler& out, const MemoryOperand& operand, u32 number);

}  // namespace pgokit::record
