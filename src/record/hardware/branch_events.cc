#include "record/hardware/branch_events.h"

#include <fmt/format.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "base/cursor.h"
#include "base/file.h"

namespace pgokit::record {
namespace {

constexpr u64 prime_period = 500'009;  // of taken branches: no multiple of a loop's length

std::string contents(const std::string& path) {
  auto file = MappedFile::open(path);
  if (!file) return {};
  auto text = as_text(file->bytes());
  return std::string(text.substr(0, text.find_last_not_of('\n') + 1));
}

bool is_vendor(std::string_view name) {
  return contents("/proc/cpuinfo").find(name) != std::string::npos;
}

void add_taken_branches(std::vector<Rung>& ladder) {
  if (is_vendor("GenuineIntel"))
    ladder.push_back({.name = "br_inst_retired.near_taken:u",
                      .what = "Intel LBR, at taken branches",
                      .type = PERF_TYPE_RAW,
                      .config = 0x20c4,
                      .period = prime_period});
  if (is_vendor("AuthenticAMD"))
    ladder.push_back({.name = "ex_ret_brn_tkn:u",
                      .what = "AMD LBR, at taken branches",
                      .type = PERF_TYPE_RAW,
                      .config = 0xc4,
                      .period = prime_period});
}

// Zen 3 servers: 16 entries, its own event, a fixed period.
void add_branch_sampling(std::vector<Rung>& ladder) {
  const std::string device = "/sys/bus/event_source/devices/cpu/";
  auto event = contents(device + "events/branch-brs");
  auto at = event.find("event=");
  if (at == event.npos) return;
  ladder.push_back(
      {.name = "branch-brs:u",
       .what = "AMD branch sampling (BRS)",
       .type = static_cast<u32>(std::strtoul(contents(device + "type").c_str(), nullptr, 10)),
       .config = std::strtoull(event.c_str() + at + 6, nullptr, 16),
       .period = prime_period});
}

std::string explain_refusal(const EventTarget& target, int paranoid) {
  if (target.pid > 0 && !target.is_group() && paranoid <= 2)
    return "not permitted: the process belongs to another user (root, or CAP_PERFMON)";
  bool wide = target.is_machine() || target.is_group();
  int needed = wide ? 0 : 2;
  if (paranoid <= needed)
    return "not permitted: a seccomp profile forbids perf_event_open(), as those of containers do";
  return fmt::format(
      "not permitted: /proc/sys/kernel/perf_event_paranoid is {}, and {} is needed{}; in a "
      "container its seccomp profile may be the reason",
      paranoid, needed, wide ? " to record whole processors, or CAP_PERFMON" : "");
}

}  // namespace

std::string explain(int error, const Rung& rung, const EventTarget& target, int paranoid) {
  switch (error) {
    case ENOENT:
    case ENODEV:
      return "the processor has no such event, or the virtual machine does not pass it on";
    case EOPNOTSUPP:
      return rung.branch_stack ? "the processor records no branch stacks here"
                               : "the processor cannot sample this event here";
    case EINVAL:
      return "the kernel's driver does not combine this event with branch stacks";
    case EACCES:
    case EPERM:
      return explain_refusal(target, paranoid);
    case ENOSYS:
      return "the kernel is built without perf events, or a seccomp profile hides them";
    case EBUSY:
      return "something else is using the counters";
    case EBADF:
      if (target.is_group()) return "the kernel has no perf events for this control group";
      [[fallthrough]];
    default:
      return std::strerror(error);
  }
}

int perf_event_paranoid() {
  auto text = contents("/proc/sys/kernel/perf_event_paranoid");
  return text.empty() ? 4 : std::atoi(text.c_str());
}

std::vector<Rung> plain_events() {
  return {{.name = "cycles-plain:u",
           .what = "processor cycles, without branch stacks",
           .type = PERF_TYPE_HARDWARE,
           .config = PERF_COUNT_HW_CPU_CYCLES,
           .branch_stack = false},
          {.name = "cpu-clock:u",
           .what = "time, without branch stacks",
           .type = PERF_TYPE_SOFTWARE,
           .config = PERF_COUNT_SW_CPU_CLOCK,
           .branch_stack = false}};
}

std::vector<Rung> hardware_ladder() {
  std::vector<Rung> ladder;
  add_taken_branches(ladder);
  ladder.push_back({.name = "cycles:u",
                    .what = "branch stacks at processor cycles (LBR, BRBE)",
                    .type = PERF_TYPE_HARDWARE,
                    .config = PERF_COUNT_HW_CPU_CYCLES});
  add_branch_sampling(ladder);
  return ladder;
}

perf_event_attr attr_of(const Rung& rung, u64 frequency) {
  perf_event_attr attr{};
  attr.size = sizeof attr;
  attr.type = rung.type;
  attr.config = rung.config;
  if (rung.period) {
    attr.sample_period = rung.period;
  } else {
    attr.freq = 1;
    attr.sample_freq = frequency;
  }
  attr.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
                     PERF_SAMPLE_PERIOD;
  if (rung.branch_stack) {
    attr.sample_type |= PERF_SAMPLE_BRANCH_STACK;
    attr.branch_sample_type = PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_ANY;
  }
  attr.exclude_kernel = attr.exclude_hv = 1;
  attr.disabled = 1;
  return attr;
}

Attempt try_rung(const Rung& rung, const EventTarget& target, EventSource& events) {
  int fd = events.open(attr_of(rung, 1000), target);
  if (fd < 0) return {-fd, explain(-fd, rung, target)};
  close(fd);
  return {};
}

Choice choose_rung(const std::vector<Rung>& ladder, const EventTarget& target,
                   EventSource& events) {
  Choice choice;
  for (const auto& rung : ladder) {
    auto attempt = try_rung(rung, target, events);
    if (attempt.ok()) return {rung, {}};
    choice.why += fmt::format("{}{}: {}", choice.why.empty() ? "" : "; ", rung.name, attempt.why);
  }
  return choice;
}

}  // namespace pgokit::record
