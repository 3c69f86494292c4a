// The routines shared by all translated code of a process that is counted from beginning to end.
#include "record/x86/pair_search.h"
#include "record/x86/routine_parts.h"

namespace pgokit::record {
namespace {

// In: gs:target, gs:rcx, gs:edge; rcx is free, everything else is the program's.
void emit_leave(Assembler& out, Routines& routines) {
  Recovery state = emit_leave_begun(out, routines);
  emit_stop(out, routines, state);
}

// In: gs:target of an indirect branch, gs:edge, gs:place, gs:rcx, gs:rax, gs:rdx; the rest is the
// program's. The pair that the copy has looked at is another one's.
void emit_dispatch(Assembler& out, Routines& routines, bool logs) {
  Recovery state = emit_dispatch_begun(out, routines);
  std::vector<u32> leave;
  if (logs) {
    out.bytes({0x66, 0x65, 0x83, 0x3c, 0x25}), out.value(scratch::left + 2), out.bytes({0});
    // cmp word gs:[left + 2], 0
    out.bytes({0x0f, 0x84});  // je: the log is full
    leave.push_back(out.rel32());
  }
  auto not_found = emit_pair_found(out);
  leave.insert(leave.end(), not_found.begin(), not_found.end());
  if (!logs) emit_pair_counted(out);
  auto counted = state;
  counted.unrecorded = Recovery::Unrecorded::none;
  note_state(out, routines, counted);
  emit_restored(out);
  out.load(Reg::rcx, scratch::rcx);
  out.jump_gs(scratch::jump);
  note_state(out, routines, state);
  for (u32 fixup : leave) out.bind(fixup);
  emit_restored(out);
  out.jump_gs(scratch::leave);
}

}  // namespace

Routines make_whole_run_routines(u64 address, bool logs) {
  Assembler out(address);
  Routines routines;
  emit_leave(out, routines);
  emit_dispatch(out, routines, logs);
  routines.code = std::move(out.code());
  return routines;
}

}  // namespace pgokit::record
