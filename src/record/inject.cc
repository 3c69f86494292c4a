#include "record/inject.h"

#include <sys/wait.h>

#include <cerrno>
#include <cstring>

namespace pgokit::record {
namespace {

bool is_at(pid_t tid, u8 operation) {
  __ptrace_syscall_info info{};
  auto size = ptrace(PTRACE_GET_SYSCALL_INFO, tid, sizeof info, &info);
  return size > 0 && info.op == operation;
}

// Lets the thread run to the entry or exit of a system call. It may be at the entry of another one
// that is not made: then the exit of that one comes first.
Status to_system_call(pid_t tid, u8 operation, std::vector<siginfo_t>& held) {
  while (true) {
    int status = 0;
    if (!resume(tid, Resume::to_system_call) || waitpid(tid, &status, __WALL) != tid)
      return fail("cannot go on: {}", std::strerror(errno));
    if (!WIFSTOPPED(status)) return fail("the thread ended");
    Stop stop{status};
    if (stop.is_system_call()) {
      if (is_at(tid, operation)) return {};
      continue;
    }
    siginfo_t info;
    if (stop.event() == 0 && get_signal(tid, info)) held.push_back(info);
  }
}

Registers for_call(const Registers& saved, u64 instruction, const RemoteCall& call) {
  Registers regs = saved;
  regs.rip = instruction;
  regs.rax = static_cast<u64>(call.number);
  regs.orig_rax = u64(-1);
  regs.rdi = call.arguments[0], regs.rsi = call.arguments[1], regs.rdx = call.arguments[2];
  regs.r10 = call.arguments[3], regs.r8 = call.arguments[4], regs.r9 = call.arguments[5];
  return regs;
}

}  // namespace

Result<u64> inject(pid_t tid, u64 instruction, const RemoteCall& call,
                   std::vector<siginfo_t>& held) {
  Registers saved, regs;
  if (!get_registers(tid, saved)) return fail("cannot read registers: {}", std::strerror(errno));
  if (!set_registers(tid, for_call(saved, instruction, call)))
    return fail("cannot set registers: {}", std::strerror(errno));
  TRY(to_system_call(tid, PTRACE_SYSCALL_INFO_ENTRY, held));
  TRY(to_system_call(tid, PTRACE_SYSCALL_INFO_EXIT, held));
  if (!get_registers(tid, regs)) return fail("cannot read registers: {}", std::strerror(errno));
  saved.orig_rax = u64(-1);
  if (!set_registers(tid, saved)) return fail("cannot set registers: {}", std::strerror(errno));
  auto value = static_cast<i64>(regs.rax);
  if (value < 0 && value > -4096) return fail("{}", std::strerror(static_cast<int>(-value)));
  return regs.rax;
}

}  // namespace pgokit::record
