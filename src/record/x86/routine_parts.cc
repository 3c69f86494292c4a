#include "record/x86/routine_parts.h"

#include <signal.h>
#include <sys/syscall.h>

namespace pgokit::record {
namespace {

void emit_call(Assembler& out, u32 number) {
  out.bytes({0xb8}), out.value(number);  // mov eax, imm32
  out.bytes({0x0f, 0x05});               // syscall: keeps the flags, breaks rcx and r11
}

}  // namespace

void note_state(const Assembler& out, Routines& routines, Recovery recovery) {
  recovery.offset = out.offset();
  routines.recoveries.push_back(recovery);
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

u32 emit_lookup(Assembler& out) {
  out.bytes({0x48, 0x89, 0xca});        // mov rdx, rcx
  out.bytes({0x48, 0xc1, 0xea, 0x0f});  // shr rdx, 15
  out.bytes({0x31, 0xca});              // xor edx, ecx
  out.bytes({0x0f, 0xb7, 0xd2});        // movzx edx, dx
  u32 next = out.offset();
  out.load(Reg::rax, scratch::table);
  out.bytes({0x48, 0x8b, 0x04, 0xd0});  // mov rax, [rax + rdx*8]
  out.bytes({0x48, 0x85, 0xc0});        // test rax, rax
  out.bytes({0x0f, 0x84});              // jz: not translated yet
  u32 missing = out.rel32();
  out.bytes({0x48, 0x3b, 0x48, 0xf8});  // cmp rcx, [rax - 8]
  out.bytes({0x74, 0x00});              // je: found
  u32 found = out.offset() - 1;
  out.bytes({0x66, 0xff, 0xc2});  // inc dx
  out.bytes({0xeb}), out.back8(next);
  out.bind8(found);
  out.save(Reg::rax, scratch::jump);
  return missing;
}

Recovery emit_leave_begun(Assembler& out, Routines& routines) {
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
  return state;
}

Recovery emit_dispatch_begun(Assembler& out, Routines& routines) {
  routines.dispatch = out.here();
  Recovery state{.address = Recovery::Address::in_target,
                 .rcx = true,
                 .rax_and_rdx = true,
                 .unrecorded = Recovery::Unrecorded::in_scratch};
  note_state(out, routines, state);
  emit_flags_saved(out);
  state.flags = true;
  note_state(out, routines, state);
  return state;
}

// The flags stay as they are: no zero is made by xor.
void emit_stop(Assembler& out, Routines& routines, Recovery state) {
  auto address_of = [&](Reg reg, std::initializer_list<u8> lea, u32 slot) {
    out.load(reg, scratch::self);
    out.bytes(lea), out.value(slot);  // lea reg, [reg + slot]
  };
  auto mask_call = [&](u32 how) {
    out.bytes({0xbf}), out.value(how);           // mov edi, imm32
    out.bytes({0x41, 0xba}), out.value(u32{8});  // mov r10d, 8: size of a set of signals
    emit_call(out, SYS_rt_sigprocmask);
  };
  out.save(Reg::rdi, scratch::rdi);
  out.save(Reg::rsi, scratch::rsi);
  out.save(Reg::r10, scratch::r10);
  state.rdi_rsi_r10 = true;
  note_state(out, routines, state);
  address_of(Reg::rsi, {0x48, 0x8d, 0xb6}, scratch::mark_set);
  address_of(Reg::rdx, {0x48, 0x8d, 0x92}, scratch::blocked);
  mask_call(SIG_UNBLOCK);
  state.unblocked = true;
  note_state(out, routines, state);
  emit_call(out, SYS_getpid);
  out.bytes({0x89, 0xc7});  // mov edi, eax
  emit_call(out, SYS_gettid);
  out.bytes({0x89, 0xc6});              // mov esi, eax
  out.load32(Reg::rdx, scratch::mark);  // siginfo_t::si_signo
  address_of(Reg::r10, {0x4d, 0x8d, 0x92}, scratch::mark);
  emit_call(out, SYS_rt_tgsigqueueinfo);
  routines.stop = out.here();
  address_of(Reg::rsi, {0x48, 0x8d, 0xb6}, scratch::blocked);
  out.bytes({0xba}), out.value(u32{0});  // mov edx, 0
  mask_call(SIG_SETMASK);
  state.unblocked = false;
  note_state(out, routines, state);
  out.load(Reg::rax, scratch::rax);
  out.load(Reg::rdx, scratch::rdx);
  out.load(Reg::r11, scratch::r11);
  out.load(Reg::rdi, scratch::rdi);
  out.load(Reg::rsi, scratch::rsi);
  out.load(Reg::r10, scratch::r10);
  out.load(Reg::rcx, scratch::rcx);
  out.jump_gs(scratch::target);
}

}  // namespace pgokit::record
