#include "record/x86/recovery.h"

namespace pgokit::record {
namespace {

constexpr u64 arithmetic_flags = 0x8d5;  // OF SF ZF AF PF CF

// lahf and seto have put them into rax.
u64 flags_in(u64 rax) { return (rax >> 8 & 0xd5) | (rax & 1) << 11; }

}  // namespace

void note_registers(scratch::Header& header, const Registers& regs) {
  header.rax = regs.rax, header.rdx = regs.rdx;
  header.rcx = regs.rcx, header.r11 = regs.r11;
  header.target = regs.rip;
}

void take_registers(Registers& regs, const scratch::Header& header) {
  regs.rip = header.target;
  regs.rax = header.rax, regs.rcx = header.rcx, regs.rdx = header.rdx, regs.rbx = header.rbx;
  regs.rsp = header.rsp, regs.rbp = header.rbp, regs.rsi = header.rsi, regs.rdi = header.rdi;
  regs.r8 = header.r8, regs.r9 = header.r9, regs.r10 = header.r10, regs.r11 = header.r11;
  regs.r12 = header.r12, regs.r13 = header.r13, regs.r14 = header.r14, regs.r15 = header.r15;
  regs.eflags = (regs.eflags & ~arithmetic_flags) | flags_in(header.flags);
}

void recover(Registers& regs, const Recovery& state, const scratch::Header& header) {
  switch (state.address) {
    case Recovery::Address::fixed:
      regs.rip = state.original;
      break;
    case Recovery::Address::in_rcx:
      regs.rip = regs.rcx;
      break;
    case Recovery::Address::in_rcx_less_rdx:
      regs.rip = regs.rcx - regs.rdx;
      break;
    case Recovery::Address::in_minus_rdx:
      regs.rip = 0 - regs.rdx;
      break;
    case Recovery::Address::in_target:
      regs.rip = header.target;
      break;
  }
  if (state.rcx) regs.rcx = header.rcx;
  if (state.rax_and_rdx) regs.rax = header.rax, regs.rdx = header.rdx;
  if (state.r11) regs.r11 = header.r11;
  if (state.rdi_rsi_r10) regs.rdi = header.rdi, regs.rsi = header.rsi, regs.r10 = header.r10;
  if (state.behind_call) regs.rcx = state.original;
  if (state.flags) regs.eflags = (regs.eflags & ~arithmetic_flags) | flags_in(header.flags);
}

}  // namespace pgokit::record
