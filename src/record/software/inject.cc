#include "record/software/inject.h"

#include <sched.h>
#include <sys/syscall.h>
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
bool is_fault_at(pid_t tid, u64 site, size_t size = call_site_size) {
  siginfo_t info;
  if (!get_signal(tid, info) || !caused_by_instruction(info)) return false;
  if (info.si_signo == SIGTRAP) return info.si_code == TRAP_TRACE;
  return reinterpret_cast<u64>(info.si_addr) - site < size;
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

constexpr u64 bit_of(int signal) { return u64{1} << (signal - 1); }

// All but those that the code at a site may cause, which would end the process.
constexpr u64 can_wait = ~(bit_of(SIGSEGV) | bit_of(SIGBUS) | bit_of(SIGFPE) | bit_of(SIGILL) |
                           bit_of(SIGTRAP) | bit_of(SIGSYS));

// Lets the thread run until it stops by its mark at `stop`. One signal that comes before is kept.
class RunToMark {
 public:
  RunToMark(StoppedThread& thread, u64 site, u64 stop) : thread_(thread), site_(site), at_(stop) {}

  bool run() {
    Stop stop{};
    while (true) {
      if (!resume(thread_.tid, Resume::freely)) return thread_.gone = true, false;
      if (!next_stop(thread_, stop)) return false;
      if (stop.is_system_call()) continue;
      if (stop.event() != 0) {
        bool asked_for = thread_.let_go && !stop.is_of_group();
        told_ |= stop.event() == PTRACE_EVENT_STOP && !asked_for;
        continue;
      }
      if (is_mark()) return true;
      if (!keep(stop.signal())) return false;
    }
  }

  // At the mark: the signal that was kept is delivered in its place, another stop told again.
  void hand_over() {
    if (kept_ && set_signal(thread_.tid, info_)) thread_.deliver = kept_;
    if (told_) ptrace(PTRACE_INTERRUPT, thread_.tid, nullptr, nullptr);
  }

 private:
  bool is_mark() const {
    siginfo_t info;
    Registers regs;
    return get_signal(thread_.tid, info) && is_stop_mark(info) &&
           get_registers(thread_.tid, regs) && regs.rip == at_;
  }

  // A late mark is of no use. False: the code at the site does not work here.
  bool keep(int signal) {
    siginfo_t info;
    if (!get_signal(thread_.tid, info) || is_stop_mark(info)) return true;
    if (is_fault_at(thread_.tid, site_, mapping_site_size)) return false;
    if (kept_)
      syscall(SYS_tkill, thread_.tid, signal);
    else
      kept_ = signal, info_ = info;
    return true;
  }

  StoppedThread& thread_;
  u64 site_, at_;
  int kept_ = 0;
  siginfo_t info_{};
  bool told_ = false;
};

}  // namespace

std::optional<MadeMappings> inject_mappings(TargetMemory& memory, StoppedThread& thread, u64 site,
                                            std::string_view path,
                                            std::span<const FileMapping> mappings) {
  Registers saved, regs;
  u64 blocked = 0;
  int signal = mark_signal_of(restrictions_of(thread.tid));
  if (!get_registers(thread.tid, saved) ||
      ptrace(PTRACE_GETSIGMASK, thread.tid, sizeof blocked, &blocked) != 0 ||
      blocked & bit_of(signal))
    return std::nullopt;
  auto mark = stop_mark(signal);
  Bytes mark_bytes(reinterpret_cast<const u8*>(&mark), sizeof mark);
  auto calls = code_to_map(site, saved, {.signal = signal, .mark = mark_bytes, .blocked = blocked},
                           path, mappings);
  if (calls.code.size() > mapping_site_size || !memory.write(site, calls.code)) return std::nullopt;
  auto to_site = outside_of_calls(saved);
  to_site.rip = site;
  if (!set_registers(thread.tid, to_site)) return std::nullopt;
  // From here on the code at the site gives the blocked signals back, whatever becomes of us.
  u64 waiting = blocked | (can_wait & ~bit_of(signal));
  ptrace(PTRACE_SETSIGMASK, thread.tid, sizeof waiting, &waiting);
  thread.deliver = 0;
  RunToMark way(thread, site, calls.stop);
  bool made = way.run() && get_registers(thread.tid, regs);
  if (thread.gone) return std::nullopt;
  ptrace(PTRACE_SETSIGMASK, thread.tid, sizeof blocked, &blocked);
  set_registers(thread.tid, outside_of_calls(saved));
  way.hand_over();
  if (!made) return std::nullopt;
  return MadeMappings{.made = made_of_mappings(regs), .result = last_result(regs)};
}

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
