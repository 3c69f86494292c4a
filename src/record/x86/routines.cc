// The two routines shared by all translated code of a process.
#include <array>

#include "record/x86/assembler.h"
#include "record/x86/scratch.h"
#include "record/x86/translate.h"

namespace pgokit::record {
namespace {

// See Recovery.
void state_is(const Assembler& out, Routines& routines, Recovery recovery) {
  recovery.offset = out.offset();
  routines.recoveries.push_back(recovery);
}

void emit_time_stamp(Assembler& out, u32 slot) {
  out.bytes({0x0f, 0x31});  // rdtsc
  out.save32(Reg::rax, slot);
  out.save32(Reg::rdx, slot + 4);
}

void emit_start(Assembler& out, Routines& routines) {
  routines.start = out.here();
  state_is(out, routines, {.address = Recovery::Address::in_target, .rax_and_rdx = true});
  emit_time_stamp(out, scratch::begun);
  out.load(Reg::rax, scratch::rax);
  out.load(Reg::rdx, scratch::rdx);
  out.jump_gs(scratch::jump);
}

void emit_flags_saved(Assembler& out) {
  out.bytes({0x9f});              // lahf
  out.bytes({0x0f, 0x90, 0xc0});  // seto al
  out.save32(Reg::rax, scratch::flags);
}

void emit_restored(Assembler& out) {
  out.load32(Reg::rax, scratch::flags);
  out.bytes({0x04, 0x7f});  // add al, 0x7f: sets the overflow flag where al is 1
  out.bytes({0x9e});        // sahf
  out.load(Reg::rax, scratch::rax);
  out.load(Reg::rdx, scratch::rdx);
}

// gs:jump = the copy of the code at rcx. The jumps to be bound are those taken if there is none.
std::array<u32, 2> emit_lookup(Assembler& out) {
  std::array<u32, 2> missing;
  out.bytes({0x48, 0x89, 0xca});        // mov rdx, rcx
  out.bytes({0x48, 0xc1, 0xea, 0x0f});  // shr rdx, 15
  out.bytes({0x31, 0xca});              // xor edx, ecx
  out.bytes({0x0f, 0xb7, 0xd2});        // movzx edx, dx
  out.load(Reg::rax, scratch::table);
  out.bytes({0x48, 0x8b, 0x04, 0xd0});  // mov rax, [rax + rdx*8]
  out.bytes({0x48, 0x85, 0xc0});        // test rax, rax
  out.bytes({0x0f, 0x84});              // jz: not translated yet
  missing[0] = out.rel32();
  out.bytes({0x48, 0x3b, 0x48, 0xf8});  // cmp rcx, [rax - 8]
  out.bytes({0x0f, 0x85});              // jne: another block of the same index
  missing[1] = out.rel32();
  out.save(Reg::rax, scratch::jump);
  return missing;
}

// One more pass over the ring, if there is to be one and the target is translated. In: as `leave`,
// with rax, rdx and the flags saved.
void emit_next_pass(Assembler& out) {
  out.load32(Reg::rax, scratch::left);
  out.bytes({0x85, 0xc0});  // test eax, eax
  out.bytes({0x0f, 0x85});  // jnz: not at the end of a pass
  u32 inside = out.rel32();
  out.load32(Reg::rax, scratch::passes);
  out.bytes({0x85, 0xc0});
  out.bytes({0x0f, 0x84});  // jz: this was the last
  u32 last = out.rel32();
  out.bytes({0x83, 0xe8, 0x01});  // sub eax, 1
  out.save32(Reg::rax, scratch::passes);
  out.load32(Reg::rax, scratch::pass);
  out.save32(Reg::rax, scratch::left);
  out.load(Reg::rcx, scratch::target);
  auto missing = emit_lookup(out);
  emit_restored(out);
  out.load(Reg::rcx, scratch::rcx);
  out.jump_gs(scratch::jump);
  for (u32 fixup : missing) out.bind(fixup);
  out.bind(inside), out.bind(last);
}

// In: gs:target, gs:rcx; rcx is free, everything else is the program's.
void emit_leave(Assembler& out, Routines& routines) {
  routines.leave = out.here();
  Recovery state{.address = Recovery::Address::in_target, .rcx = true};
  state_is(out, routines, state);
  out.save(Reg::rax, scratch::rax);
  out.save(Reg::rdx, scratch::rdx);
  out.save(Reg::r11, scratch::r11);
  state.rax_and_rdx = state.r11 = true;
  state_is(out, routines, state);
  emit_flags_saved(out);
  state.flags = true;
  state_is(out, routines, state);
  emit_next_pass(out);
  emit_time_stamp(out, scratch::ended);
  emit_restored(out);
  out.bytes({0xb8}), out.value(marker_syscall);  // mov eax, imm32
  out.bytes({0x0f, 0x05});                       // syscall: keeps the flags, breaks rcx and r11
  out.load(Reg::rax, scratch::rax);
  out.load(Reg::r11, scratch::r11);
  out.load(Reg::rcx, scratch::rcx);
  out.jump_gs(scratch::target);
}

// In: rcx = target of an indirect branch, gs:rcx, gs:edge; the rest is the program's.
void emit_dispatch(Assembler& out, Routines& routines) {
  routines.dispatch = out.here();
  Recovery state{.address = Recovery::Address::in_rcx,
                 .rcx = true,
                 .unrecorded = Recovery::Unrecorded::in_scratch};
  state_is(out, routines, state);
  out.save(Reg::rax, scratch::rax);
  out.save(Reg::rdx, scratch::rdx);
  state.rax_and_rdx = true;
  state_is(out, routines, state);
  emit_flags_saved(out);
  out.save(Reg::rcx, scratch::target);
  state.address = Recovery::Address::in_target, state.flags = true;
  state_is(out, routines, state);
  out.load32(Reg::rax, scratch::left);
  out.load32(Reg::rdx, scratch::edge);
  out.bytes({0x65, 0x89, 0x90}), out.value(scratch::ring);  // mov gs:[rax + ring], edx
  out.bytes({0x65, 0x48, 0x89, 0x88}),
      out.value(scratch::ring + 8);              // mov gs:[rax + ring + 8], rcx
  out.bytes({0x83, 0xe8, scratch::entry_size});  // sub eax, 16
  out.save32(Reg::rax, scratch::left);
  state.unrecorded = Recovery::Unrecorded::none;
  state_is(out, routines, state);
  out.bytes({0x0f, 0x84});  // jz: the window is full
  u32 full = out.rel32();
  auto missing = emit_lookup(out);
  emit_restored(out);
  out.load(Reg::rcx, scratch::rcx);
  out.jump_gs(scratch::jump);
  out.bind(full), out.bind(missing[0]), out.bind(missing[1]);
  emit_restored(out);
  out.jump_gs(scratch::leave);
}

}  // namespace

Routines make_routines(u64 address) {
  Assembler out(address);
  Routines routines;
  emit_start(out, routines);
  emit_leave(out, routines);
  emit_dispatch(out, routines);
  routines.code = std::move(out.code());
  return routines;
}

}  // namespace pgokit::record
