#include "record/software/inject.h"

#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "record/software/stop_mark.h"
#include "record/system/proc_status.h"

namespace pgokit::record {
namespace {

// False: the thread will not stop any more. The first thread of a process is dead where another one
// executes a program, and waitpid() tells that only after the tracer has waited for the others: so
// nobody may block here.
bool wait_for_change(pid_t tid, siginfo_t& info) {
  constexpr useconds_t pause_us = 20;
  constexpr unsigned polls_between_looks = 100;
  // A system call mostly takes less time than to be woken after it.
  constexpr unsigned polls_awake = 50;
  for (unsigned polls = 1;; ++polls) {
    info.si_pid = 0;
    int result = waitid(P_PID, static_cast<id_t>(tid), &info,
                        WEXITED | WSTOPPED | __WALL | WNOWAIT | WNOHANG);
    if (result == 0 && info.si_pid != 0) return true;
    if (result != 0 && errno != EINTR) return false;
    if (polls % polls_between_looks == 0 && has_ended(tid)) return false;
    if (polls < polls_awake)
      sched_yield();
    else
      usleep(pause_us);
  }
}

// Waits for the next stop of the thread. What ends it or makes it another program stays for the
// tracer's own waitpid().
bool next_stop(StoppedThread& thread, Stop& stop) {
  siginfo_t info{};
  bool stopped = wait_for_change(thread.tid, info) &&
                 (info.si_code == CLD_TRAPPED || info.si_code == CLD_STOPPED);
  int status = 0;
  if (!stopped || info.si_status >> 8 == PTRACE_EVENT_EXEC ||
      waitpid(thread.tid, &status, __WALL) != thread.tid || !WIFSTOPPED(status)) {
    thread.gone = true;
    return false;
  }
  stop = {status};
  return true;
}

// A fault of the code at the site, or the end of a step: none of the program's. A fault or breakpoint
// of the program right before it was stopped comes when it is set going, so at the site too.
bool is_fault_at(pid_t tid, u64 site) {
  siginfo_t info;
  if (!get_signal(tid, info) || !caused_by_instruction(info)) return false;
  if (info.si_signo == SIGTRAP) return info.si_code == TRAP_TRACE;
  return reinterpret_cast<u64>(info.si_addr) - site < call_site_size;
}

// Lets the thread run to the entry or exit of a system call. It may be at the entry of another one
// that is not made: then the exit of that one comes first.
bool to_system_call(StoppedThread& thread, u64 site, u8 operation) {
  while (true) {
    Stop stop{};
    if (!resume(thread.tid, Resume::to_system_call)) return thread.gone = true, false;
    if (!next_stop(thread, stop)) return false;
    if (stop.is_system_call()) {
      if (is_at_call(thread.tid, operation)) return true;
      continue;
    }
    if (thread.let_go && stop.event() == PTRACE_EVENT_STOP && !stop.is_of_group()) continue;
    siginfo_t info;
    if (stop.event() == 0 && get_signal(thread.tid, info) && is_stop_mark(info)) continue;
    if (stop.event() != 0)  // a stop of the whole process, perhaps: it is told again
      ptrace(PTRACE_INTERRUPT, thread.tid, nullptr, nullptr);
    else
      thread.deliver = is_fault_at(thread.tid, site) ? 0 : stop.signal();
    return false;
  }
}

}  // namespace

std::optional<u64> inject(TargetMemory& memory, StoppedThread& thread, u64 site,
                          const SystemCall& call) {
  Registers saved, regs;
  if (!get_registers(thread.tid, saved)) return std::nullopt;
  if (!memory.write(site, call_code(site, saved))) return std::nullopt;
  if (!set_registers(thread.tid, registers_for_call(saved, site, call))) return std::nullopt;
  thread.deliver = 0;
  bool made = to_system_call(thread, site, PTRACE_SYSCALL_INFO_ENTRY) &&
              to_system_call(thread, site, PTRACE_SYSCALL_INFO_EXIT) &&
              get_registers(thread.tid, regs);
  if (thread.gone) return std::nullopt;
  set_registers(thread.tid, outside_of_calls(saved));
  if (!made) return std::nullopt;
  return result_of_call(regs);
}

}  // namespace pgokit::record
