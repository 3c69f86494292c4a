#pragma once

// The time of the kernel is none of a window's: its clock stands still during the system calls that
// copies make. The flags stay as they are.
//
//   out.save(Reg::rax, scratch::rax), out.save(Reg::rdx, scratch::rdx);
//   emit_clock_stopped(out);       // gives both registers back
//   out.bytes({0x0f, 0x05}), out.save(Reg::rax, scratch::rax);    // the call, and what it gives
//   emit_clock_started(out);       // gives both back, from the scratch area

#include "record/x86/assembler.h"

namespace pgokit::record {

void emit_clock_stopped(Assembler& out);
void emit_clock_started(Assembler& out);

}  // namespace pgokit::record
