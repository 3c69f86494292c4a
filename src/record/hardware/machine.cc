#include "record/hardware/machine.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "base/cursor.h"
#include "base/file.h"
#include "record/recorder.h"

namespace pgokit::record {
namespace {

std::string contents(const std::string& path) {
  auto file = MappedFile::open(path);
  return file ? std::string(as_text(file->bytes())) : std::string();
}

std::string processor_of(const std::string& cpuinfo) {
  auto at = cpuinfo.find("model name");
  if (at == cpuinfo.npos) return "unknown processor";
  at = cpuinfo.find(": ", at);
  return cpuinfo.substr(at + 2, cpuinfo.find('\n', at) - at - 2);
}

// As the recorder would seize it. The process is ended.
int seize(pid_t pid) {
  int error = ptrace(PTRACE_SEIZE, pid, nullptr, nullptr) == 0 ? 0 : errno;
  kill(pid, SIGKILL);
  return error;
}

[[noreturn]] void wait_for_end() {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  while (true) pause();
}

std::string explain_refusal(int error, int scope, bool attaching) {
  if (scope >= 3) return "kernel.yama.ptrace_scope is 3: nothing may be traced until the next boot";
  if (scope == 2)
    return "kernel.yama.ptrace_scope is 2: CAP_SYS_PTRACE is needed (docker: --cap-add=SYS_PTRACE)";
  if (scope == 1 && attaching)
    return "kernel.yama.ptrace_scope is 1: CAP_SYS_PTRACE is needed for what pgokit has not "
           "started";
  return fmt::format(
      "ptrace() fails: {}; a container needs --cap-add=SYS_PTRACE or a seccomp "
      "profile that permits it",
      std::strerror(error));
}

Attempt try_tracing(int scope) {
  if (auto obstacle = process_files_obstacle(); !obstacle.empty()) return {ENOENT, obstacle};
  pid_t pid = fork();
  if (pid < 0) return {errno, "cannot start a process"};
  if (pid == 0) wait_for_end();
  int error = seize(pid);
  waitpid(pid, nullptr, __WALL);
  return {error, error ? explain_refusal(error, scope, false) : ""};
}

// One whose parent has ended is no descendant any more.
Attempt try_attaching(int scope) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return {errno, "cannot make a pipe"};
  pid_t parent = fork();
  if (parent == 0) {
    pid_t orphan = fork();
    if (orphan == 0) {
      close(ends[0]);
      while (true) pause();
    }
    bool told = write(ends[1], &orphan, sizeof orphan) == sizeof orphan;
    _exit(told ? 0 : 1);
  }
  close(ends[1]);
  pid_t orphan = -1;
  bool known = parent > 0 && read(ends[0], &orphan, sizeof orphan) == sizeof orphan && orphan > 0;
  if (parent > 0) waitpid(parent, nullptr, 0);
  close(ends[0]);
  if (!known) return {ECHILD, "cannot start a process"};
  int error = seize(orphan);
  if (error == 0) waitpid(orphan, nullptr, __WALL);
  return {error, error ? explain_refusal(error, scope, true) : ""};
}

Attempt try_foreign(const Machine& machine) {
  if (!machine.attaching.ok()) return machine.attaching;
  if (machine.privileges.sys_ptrace) return {};
  return {EPERM, "CAP_SYS_PTRACE is needed: as root, or docker: --cap-add=SYS_PTRACE"};
}

}  // namespace

bool Machine::hardware() const {
  return std::ranges::any_of(
      rungs, [](const TriedRung& one) { return one.rung.branch_stack && one.attempt.ok(); });
}

Machine inspect_machine() {
  Machine machine;
  utsname system;
  if (uname(&system) == 0) machine.kernel = system.release;
  machine.software_obstacle = software_obstacle();
  auto cpuinfo = contents("/proc/cpuinfo");
  machine.processor = processor_of(cpuinfo);
  machine.virtual_machine = cpuinfo.find(" hypervisor") != cpuinfo.npos;
  machine.perf_event_paranoid = perf_event_paranoid();
  machine.ptrace_scope = std::atoi(contents("/proc/sys/kernel/yama/ptrace_scope").c_str());
  for (const auto& rung : hardware_ladder()) machine.rungs.push_back({rung, try_rung(rung)});
  for (const auto& rung : plain_events()) machine.rungs.push_back({rung, try_rung(rung)});
  const auto& [clock, own_clock] = machine.rungs.back();
  machine.timer = own_clock;
  machine.whole_processors = try_rung(clock, {.pid = -1, .cpu = 0});
  machine.privileges = own_privileges();
  machine.tracing = try_tracing(machine.ptrace_scope);
  machine.attaching = machine.tracing.ok() ? try_attaching(machine.ptrace_scope) : machine.tracing;
  machine.foreign = try_foreign(machine);
  return machine;
}

}  // namespace pgokit::record
