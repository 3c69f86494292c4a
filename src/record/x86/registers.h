#pragma once

// The registers of a stopped thread, and what they say of system calls.

#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/user.h>

#include <cerrno>

#include "base/types.h"

namespace pgokit::record {

using Registers = user_regs_struct;

inline bool get_registers(pid_t tid, Registers& regs) {
  return ptrace(PTRACE_GETREGS, tid, nullptr, &regs) == 0;
}

inline bool set_registers(pid_t tid, const Registers& regs) {
  return ptrace(PTRACE_SETREGS, tid, nullptr, &regs) == 0;
}

inline bool runs_64_bit_code(const Registers& regs) {
  constexpr u64 code_segment = 0x33;
  return regs.cs == code_segment;
}

// The number of the call that the thread is in or has just left, and what it was given.
inline u64 system_call(const Registers& regs) { return regs.orig_rax; }
inline u64 first_argument(const Registers& regs) { return regs.rdi; }

// In the middle of a system call that the kernel is about to make again: the registers are not yet
// those that the program will see.
inline bool in_system_call(const Registers& regs) {
  return static_cast<i64>(regs.orig_rax) >= 0 && static_cast<i64>(regs.rax) <= -512 &&
         static_cast<i64>(regs.rax) >= -516;
}

// An interrupted call that would now fail with EINTR, for no reason that the program knows of.
inline bool was_interrupted(const Registers& regs) {
  return static_cast<i64>(regs.orig_rax) >= 0 && static_cast<i64>(regs.rax) == -EINTR;
}

// Registers with which the thread makes the system call again that it is in, as the kernel would.
inline Registers making_again(Registers regs) {
  constexpr i64 restart_block = -516;
  constexpr u64 call_length = 2;
  bool by_block = static_cast<i64>(regs.rax) == restart_block;
  regs.rax = by_block ? SYS_restart_syscall : regs.orig_rax;
  regs.orig_rax = u64(-1);
  regs.rip -= call_length;
  return regs;
}

}  // namespace pgokit::record
