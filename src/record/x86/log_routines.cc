// How an indirect branch goes on in copies that log their branches (scratch.h).
#include "record/x86/routine_parts.h"

namespace pgokit::record {

// In: gs:target, gs:place, gs:edge = no_edge, gs:rcx, gs:rax, gs:rdx; the rest is the program's, and
// the branch is in the log. The entry that the copy has looked at becomes that of the target: its key
// is gone while its code changes, as the thread may be taken out at any instruction.
void emit_log_dispatch(Assembler& out, Routines& routines) {
  using scratch::whole_run::Branch;
  routines.dispatch = out.here();
  Recovery state{.address = Recovery::Address::in_target, .rcx = true, .rax_and_rdx = true};
  constexpr u8 of_key = offsetof(Branch, key), of_code = offsetof(Branch, code);
  auto at_rdx = [&](std::initializer_list<u8> opcode, u8 field) {
    out.bytes({0x65, 0x48}), out.bytes(opcode), out.bytes({field});
  };
  note_state(out, routines, state);
  emit_flags_saved(out);
  state.flags = true;
  note_state(out, routines, state);
  out.bytes({0x66, 0x65, 0x83, 0x3c, 0x25}), out.value(scratch::left + 2), out.bytes({0});
  // cmp word gs:[left + 2], 0
  out.bytes({0x0f, 0x84});  // je: the log is full
  u32 full = out.rel32();
  out.load(Reg::rcx, scratch::target);
  u32 missing = emit_lookup(out);
  out.bytes({0x0f, 0xb6, 0xd1});                                     // movzx edx, cl
  out.bytes({0xc1, 0xe2, 5});                                        // shl edx, 5
  out.bytes({0x65, 0x03, 0x14, 0x25}), out.value(scratch::place);    // add edx, gs:[place]
  out.bytes({0x65, 0x39, 0x14, 0x25}), out.value(scratch::highest);  // cmp gs:[highest], edx
  out.bytes({0x73, 8});                                              // jae: over the next
  out.bytes({0x65, 0x89, 0x14, 0x25}), out.value(scratch::highest);  // mov gs:[highest], edx
  at_rdx({0xc7, 0x42}, of_key), out.value(u32{0});                   // mov qword [key], 0
  at_rdx({0x89, 0x42}, of_code);                                     // mov [code], rax
  out.bytes({0x48, 0xf7, 0xd9});                                     // neg rcx
  at_rdx({0x89, 0x4a}, of_key);                                      // mov [key], rcx
  emit_restored(out);
  out.load(Reg::rcx, scratch::rcx);
  out.jump_gs(scratch::jump);
  for (u32 fixup : {full, missing}) out.bind(fixup);
  emit_restored(out);
  out.jump_gs(scratch::leave);
}

}  // namespace pgokit::record
