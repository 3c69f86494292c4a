#pragma once

// The ptrace(2) requests that the recorder makes, with types.

#include <signal.h>
#include <sys/ptrace.h>
#include <sys/types.h>

#include "base/types.h"

namespace pgokit::record {

// How a stopped thread is set going.
enum class Resume : u8 {
  freely,
  to_system_call,  // stops at the entry and exit of the next one
  one_instruction,
};

inline bool resume(pid_t tid, Resume how, int signal = 0) {
  auto request = how == Resume::freely           ? PTRACE_CONT
                 : how == Resume::to_system_call ? PTRACE_SYSCALL
                                                 : PTRACE_SINGLESTEP;
  return ptrace(request, tid, nullptr, static_cast<long>(signal)) == 0;
}

// Stopped at a system call: `operation` is PTRACE_SYSCALL_INFO_ENTRY or _EXIT.
inline bool is_at_call(pid_t tid, u8 operation) {
  __ptrace_syscall_info info{};
  auto size = ptrace(PTRACE_GET_SYSCALL_INFO, tid, sizeof info, &info);
  return size > 0 && info.op == operation;
}

inline bool get_signal(pid_t tid, siginfo_t& info) {
  return ptrace(PTRACE_GETSIGINFO, tid, nullptr, &info) == 0;
}

inline bool set_signal(pid_t tid, const siginfo_t& info) {
  return ptrace(PTRACE_SETSIGINFO, tid, nullptr, &info) == 0;
}

// A fault or trap of an instruction, not a signal that somebody has sent.
inline bool caused_by_instruction(const siginfo_t& info) {
  switch (info.si_signo) {
    case SIGSEGV:
    case SIGBUS:
    case SIGFPE:
    case SIGILL:
    case SIGTRAP:
    case SIGSYS:
      return info.si_code > 0;
    default:
      return false;
  }
}

// What waitpid() says of a stop.
struct Stop {
  int status;
  int signal() const { return (status >> 8) & 0x7f; }
  int event() const { return status >> 16; }
  bool is_system_call() const { return ((status >> 8) & 0xff) == (SIGTRAP | 0x80); }
  // Of the whole process, by a signal that stops it.
  bool is_of_group() const {
    int by = signal();
    return by == SIGSTOP || by == SIGTSTP || by == SIGTTIN || by == SIGTTOU;
  }
};

}  // namespace pgokit::record
