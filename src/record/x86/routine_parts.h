#pragma once

// What the routines of windows and those of whole runs are made of (translate.h).

#include "record/x86/assembler.h"
#include "record/x86/scratch.h"
#include "record/x86/translate.h"

namespace pgokit::record {

// From here on `recovery` tells where the program's state is.
void note_state(const Assembler& out, Routines& routines, Recovery recovery);

// rax and rdx are saved. Saves the flags too; breaks rax.
void emit_flags_saved(Assembler& out);
// The flags, rax and rdx.
void emit_restored(Assembler& out);

// How the routines begin: `leave` saves rax, rdx and r11, `dispatch` the flags. Where the program's
// state is then.
Recovery emit_leave_begun(Assembler& out, Routines& routines);
Recovery emit_dispatch_begun(Assembler& out, Routines& routines);

// gs:jump and rax = the copy of the code at rcx; breaks rdx and the flags. The jump to be bound is
// taken if there is none.
u32 emit_lookup(Assembler& out);

// Stops the thread for the recorder; without one it goes on at gs:target. In: all that `state` says
// is saved, and rcx; rdi, rsi and r10 are the program's.
void emit_stop(Assembler& out, Routines& routines, Recovery state);

}  // namespace pgokit::record
