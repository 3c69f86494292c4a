// The routines shared by all translated code of a process that is counted from beginning to end.
#include "record/x86/routine_parts.h"

namespace pgokit::record {
namespace {

namespace whole_run = scratch::whole_run;

constexpr u8 of_key = offsetof(whole_run::Pair, key);
constexpr u8 of_count = offsetof(whole_run::Pair, count);
constexpr u8 of_code = offsetof(whole_run::Pair, code);
constexpr u8 of_edge = offsetof(whole_run::Pair, edge);
constexpr u8 of_next = offsetof(whole_run::Pair, next);

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

// A new pair, linked to those of its place. In: its key in rax, the place in edx; out: the pair in
// ecx. The thread may be taken out at any instruction, so it has no count before it is taken, and is
// taken before anything leads to it. The jump to be bound is taken if there is no room.
u32 emit_new_pair(Assembler& out) {
  auto at_rcx = [&](std::initializer_list<u8> opcode, u8 field) {
    out.bytes({0x65}), out.bytes(opcode), out.bytes({field});
  };
  out.load32(Reg::rcx, scratch::next_pair);
  out.bytes({0x81, 0xf9}), out.value(whole_run::pairs_end);  // cmp ecx, pairs_end
  out.bytes({0x0f, 0x84});                                   // je: no room
  u32 no_room = out.rel32();
  at_rcx({0x48, 0xc7, 0x41}, of_count), out.value(u32{0});  // mov qword [count], 0
  out.bytes({0x65, 0x83, 0x04, 0x25}), out.value(scratch::next_pair);
  out.bytes({whole_run::pair_size});   // add dword gs:[next_pair], 32
  at_rcx({0x48, 0x89, 0x41}, of_key);  // mov [key], rax
  out.load(Reg::rax, scratch::jump);
  at_rcx({0x48, 0x89, 0x41}, of_code);  // mov [code], rax
  out.load32(Reg::rax, scratch::edge);
  at_rcx({0x89, 0x41}, of_edge);  // mov [edge], eax
  at_rcx({0x89, 0x49}, of_next);  // mov [next], ecx: alone
  out.bytes({0x65, 0x8b, 0x02});  // mov eax, gs:[rdx]
  out.bytes({0x85, 0xc0});        // test eax, eax
  out.bytes({0x74, 0});           // jz: it is
  u32 alone = out.offset() - 1;
  out.bytes({0x65, 0x8b, 0x40, of_next});  // mov eax, gs:[rax + next]
  at_rcx({0x89, 0x41}, of_next);           // mov [next], eax
  out.bytes({0x65, 0x8b, 0x02});           // mov eax, gs:[rdx]
  out.bytes({0x65, 0x89, 0x48, of_next});  // mov gs:[rax + next], ecx
  out.bind8(alone);
  return no_room;
}

// In: gs:target of an indirect branch, gs:edge, gs:place, gs:rcx, gs:rax, gs:rdx; the rest is the
// program's. The pair that the copy has looked at is another one's. Its place gets the right one,
// so that the copy finds it there the next time.
void emit_dispatch(Assembler& out, Routines& routines, bool logs) {
  routines.dispatch = out.here();
  Recovery state{.address = Recovery::Address::in_target,
                 .rcx = true,
                 .rax_and_rdx = true,
                 .unrecorded = Recovery::Unrecorded::in_scratch};
  note_state(out, routines, state);
  emit_flags_saved(out);
  state.flags = true;
  note_state(out, routines, state);
  std::vector<u32> leave;
  if (logs) {
    out.bytes({0x66, 0x65, 0x83, 0x3c, 0x25}), out.value(scratch::left + 2), out.bytes({0});
    // cmp word gs:[left + 2], 0
    out.bytes({0x0f, 0x84});  // je: the log is full
    leave.push_back(out.rel32());
  }
  out.load(Reg::rcx, scratch::target);
  leave.push_back(emit_lookup(out));
  out.bytes({0x48, 0x89, 0xc8});                                   // mov rax, rcx
  out.bytes({0x48, 0xf7, 0xd8});                                   // neg rax
  out.bytes({0x0f, 0xb7, 0xd1});                                   // movzx edx, cx
  out.bytes({0xc1, 0xe2, 2});                                      // shl edx, 2
  out.bytes({0x65, 0x03, 0x14, 0x25}), out.value(scratch::place);  // add edx, gs:[place]
  out.bytes({0x65, 0x8b, 0x0a});                                   // mov ecx, gs:[rdx]
  out.bytes({0x85, 0xc9});                                         // test ecx, ecx
  out.bytes({0x74, 0});                                            // jz: none
  u32 none = out.offset() - 1;                                     //
  u32 next = out.offset();                                         //
  out.bytes({0x65, 0x8b, 0x49, of_next});                          // mov ecx, gs:[rcx + next]
  out.bytes({0x65, 0x48, 0x39, 0x41, of_key});                     // cmp gs:[rcx + key], rax
  out.bytes({0x74, 0});                                            // je: found
  u32 found = out.offset() - 1;                                    //
  out.bytes({0x65, 0x3b, 0x0a});                                   // cmp ecx, gs:[rdx]
  out.bytes({0x75}), out.back8(next);                              // jne: the next one
  out.bind8(none);
  leave.push_back(emit_new_pair(out));
  out.bind8(found);
  out.bytes({0x65, 0x89, 0x0a});                                // mov gs:[rdx], ecx
  if (!logs) out.bytes({0x65, 0x48, 0x83, 0x41, of_count, 1});  // add qword gs:[rcx + count], 1
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
