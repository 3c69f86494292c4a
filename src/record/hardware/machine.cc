#include "record/hardware/machine.h"

#include <fmt/format.h>
#include <signal.h>
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

// Seizes a child that does nothing, as the recorder would.
Attempt try_tracing() {
  pid_t pid = fork();
  if (pid < 0) return {errno, "cannot start a process"};
  if (pid == 0) {
    pause();
    _exit(0);
  }
  int error = ptrace(PTRACE_SEIZE, pid, nullptr, nullptr) == 0 ? 0 : errno;
  kill(pid, SIGKILL);
  waitpid(pid, nullptr, __WALL);
  if (error == 0) return {};
  return {error, fmt::format("ptrace() fails: {}; a container needs --cap-add=SYS_PTRACE or a "
                             "seccomp profile that permits it",
                             std::strerror(error))};
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
  machine.timer = machine.rungs.back().attempt;
  machine.tracing = try_tracing();
  return machine;
}

}  // namespace pgokit::record
