// The routines shared by all translated code of a process that is counted from beginning to end.
#include "record/x86/routine_parts.h"

namespace pgokit::record {
namespace {

namespace whole_run = scratch::whole_run;

constexpr u8 of_count = offsetof(whole_run::Branch, count);
constexpr u8 of_code = offsetof(whole_run::Branch, code);
constexpr u8 of_edge = offsetof(whole_run::Branch, edge);

// In: gs:target, gs:rcx, gs:edge; rcx is free, everything else is the program's.
void emit_leave(Assembler& out, Routines& routines) {
  routines.leave = out.here();
  Recovery state{.address = Recovery::Address::in_target,
                 .rcx = true,
                 .unrecorded = Recovery::Unrecorded::in_scratch};
  note_state(out, routines, state);
  out.save(Reg::rax, scratch::rax);
  out.save(Reg::rdx, scratch::rdx);
  out.save(Reg::r11, scratch::r11);
  state.rax_and_rdx = state.r11 = true;
  note_state(out, routines, state);
  emit_stop(out, routines, state);
}

// In: gs:target of an indirect branch, gs:edge, gs:place, gs:rcx, gs:rax, gs:rdx; the rest is the
// program's. The entry that the copy has looked at is another one's, or free. An entry gets its key
// last: from then on copies count there.
void emit_dispatch(Assembler& out, Routines& routines) {
  routines.dispatch = out.here();
  Recovery state{.address = Recovery::Address::in_target,
                 .rcx = true,
                 .rax_and_rdx = true,
                 .unrecorded = Recovery::Unrecorded::in_scratch};
  auto at_rdx = [&](std::initializer_list<u8> opcode, u8 field) {
    out.bytes({0x65}), out.bytes(opcode), out.bytes({field});
  };
  auto short_jump = [&](u8 opcode) {
    out.bytes({opcode, 0});
    return out.offset() - 1;
  };
  note_state(out, routines, state);
  emit_flags_saved(out);
  state.flags = true;
  note_state(out, routines, state);
  out.load(Reg::rcx, scratch::target);
  u32 missing = emit_lookup(out);
  out.bytes({0x65, 0x83, 0x3c, 0x25}), out.value(scratch::room), out.bytes({0});  // cmp room, 0
  out.bytes({0x0f, 0x84});                                                        // je: no room
  u32 no_room = out.rel32();
  out.bytes({0x0f, 0xb6, 0xd1});                                   // movzx edx, cl
  out.bytes({0xc1, 0xe2, 5});                                      // shl edx, 5
  out.bytes({0x65, 0x03, 0x14, 0x25}), out.value(scratch::place);  // add edx, gs:[place]
  at_rdx({0x48, 0x83, 0x7a}, of_count), out.bytes({0});            // cmp qword [count], 0
  u32 taken = short_jump(0x75);                                    // jne
  at_rdx({0x48, 0x89, 0x42}, of_code);                             // mov [code], rax
  out.bytes({0x48, 0xf7, 0xd9});                                   // neg rcx
  u32 own = short_jump(0xeb);                                      // jmp
  out.bind8(taken);
  out.load32(Reg::rax, scratch::edge);
  u32 next = out.offset();
  out.bytes({0x83, 0xc2, whole_run::entry_size});               // add edx, 32
  out.bytes({0x81, 0xfa}), out.value(whole_run::branches_end);  // cmp edx, imm32
  out.bytes({0x72, 5});                                         // jb: over the next
  out.bytes({0xba}), out.value(whole_run::branches);            // mov edx, imm32
  auto back = [&](u8 opcode) {
    out.bytes({opcode}), out.value(static_cast<u8>(next - (out.offset() + 1)));
  };
  at_rdx({0x48, 0x83, 0x7a}, of_count), out.bytes({0});  // cmp qword [count], 0
  u32 free = short_jump(0x74);                           // je
  at_rdx({0x48, 0x39, 0x4a}, 0);                         // cmp [key], rcx
  back(0x75);                                            // jne: the next one
  at_rdx({0x39, 0x42}, of_edge);                         // cmp [edge], eax
  back(0x75);
  u32 found = short_jump(0xeb);  // jmp
  out.bind8(own), out.bind8(free);
  out.load32(Reg::rax, scratch::edge);
  at_rdx({0x89, 0x42}, of_edge);                                                  // mov [edge], eax
  out.bytes({0x65, 0x83, 0x2c, 0x25}), out.value(scratch::room), out.bytes({1});  // sub room, 1
  out.bytes({0x65, 0x39, 0x14, 0x25}), out.value(scratch::highest);  // cmp gs:[highest], edx
  out.bytes({0x73, 8});                                              // jae: over the next
  out.bytes({0x65, 0x89, 0x14, 0x25}), out.value(scratch::highest);  // mov gs:[highest], edx
  at_rdx({0x48, 0x89, 0x4a}, 0);                                     // mov [key], rcx
  out.bind8(found);
  at_rdx({0x48, 0x83, 0x42}, of_count), out.bytes({1});  // add qword [count], 1
  state.unrecorded = Recovery::Unrecorded::none;
  note_state(out, routines, state);
  emit_restored(out);
  out.load(Reg::rcx, scratch::rcx);
  out.jump_gs(scratch::jump);
  state.unrecorded = Recovery::Unrecorded::in_scratch;
  note_state(out, routines, state);
  for (u32 fixup : {missing, no_room}) out.bind(fixup);
  emit_restored(out);
  out.jump_gs(scratch::leave);
}

}  // namespace

Routines make_whole_run_routines(u64 address, bool logs) {
  Assembler out(address);
  Routines routines;
  emit_leave(out, routines);
  logs ? emit_log_dispatch(out, routines) : emit_dispatch(out, routines);
  routines.code = std::move(out.code());
  return routines;
}

}  // namespace pgokit::record
