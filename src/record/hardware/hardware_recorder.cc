// One event on all processors, inherited by what the program starts. The rings are emptied in
// rounds: records of one round are in no order among processors, but are all older than those of the
// round after the next, which is what FINISHED_ROUND tells readers.
#include "record/hardware/hardware_recorder.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <tuple>

#include "perf/writer.h"
#include "record/hardware/event_rings.h"
#include "record/hardware/running_processes.h"
#include "record/system/clock.h"
#include "record/system/control_group.h"
#include "record/system/file_facts.h"
#include "record/system/launch.h"
#include "record/system/privileges.h"
#include "record/system/proc_status.h"

namespace pgokit::record {
namespace {

constexpr int round_ms = 100;
constexpr u64 group_look_ns = 1'000'000'000;

sigset_t forwarded_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) sigaddset(&set, signal);
  return set;
}

// An event is a file. After the program has been started, whose limit is its own.
void permit_many_files() {
  rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

perf_event_attr attr_for(const Rung& rung, const RecordSettings& settings) {
  constexpr u64 usual_frequency = 4000;
  auto attr = attr_of(rung, settings.frequency ? settings.frequency : usual_frequency);
  if (settings.callchain) {
    attr.sample_type |= PERF_SAMPLE_CALLCHAIN;
    attr.exclude_callchain_kernel = 1;
  }
  attr.inherit = 1;
  attr.mmap = attr.mmap2 = attr.comm = attr.comm_exec = attr.task = attr.sample_id_all = 1;
  attr.build_id = 1;
  attr.use_clockid = 1;
  attr.clockid = CLOCK_MONOTONIC;
  attr.enable_on_exec = !settings.command.empty() && !settings.all_cpus;
  return attr;
}

int open_folder(const std::string& path) {
  return ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

class HardwareRecorder {
 public:
  HardwareRecorder(const Rung& rung, const RecordSettings& settings, EventSource& events)
      : rung_(rung),
        settings_(settings),
        group_(settings.cgroup),
        rings_(events, rung, attr_for(rung, settings)) {}

  Result<RecordSummary> run() {
    sigset_t set = forwarded_signals(), before;
    sigprocmask(SIG_BLOCK, &set, &before);
    auto result = record(before);
    sigprocmask(SIG_SETMASK, &before, nullptr);
    return result;
  }

 private:
  Result<RecordSummary> record(const sigset_t& before) {
    if (!settings_.command.empty())
      program_.emplace(TRY(Launch::prepare(settings_.command, before)));
    permit_many_files();
    if (auto obstacle = process_files_obstacle(); !program_ && !obstacle.empty())
      return fail("{}", obstacle);
    TRY(open_events());
    auto writer = TRY(make_writer());
    u64 now = monotonic_ns();
    if (!rings_.attr().enable_on_exec) rings_.enable(true);
    write_running(writer, now);
    if (program_) TRY(program_->go([] {}));
    u64 end = settings_.seconds > 0 ? now + static_cast<u64>(settings_.seconds * 1e9) : u64(-1);
    while (!is_over() && monotonic_ns() < end) {
      rings_.wait(round_ms);
      drain(writer);
      if (take_signal() && !program_) break;
    }
    rings_.enable(false);
    drain(writer);
    auto committed = has_recorded(summary_.counts) ? writer.commit() : Status();
    summary_.file_size = writer.size();
    while (program_ && !is_over()) take_signal(round_ms);
    TRY(committed);
    return summary_;
  }

  Status open_events() {
    if (settings_.all_cpus) return open_existing({.pid = -1});
    if (program_) return open_existing({.pid = program_->pid()});
    if (!settings_.cgroup.empty()) return open_group();
    return open_processes();
  }

  Status open_existing(const EventTarget& target) {
    if (TRY(rings_.open(target))) return {};
    return fail("{}: {}", rung_.name, std::strerror(ESRCH));
  }

  Status open_group() {
    processes_ = TRY(group_.some_processes());
    int fd = open_folder(group_.folder());
    if (fd < 0) return fail("{}: {}", group_.folder(), std::strerror(errno));
    auto opened = open_existing({.pid = fd, .flags = PERF_FLAG_PID_CGROUP});
    close(fd);
    return opened;
  }

  // Listed once: what a thread starts after its event has been opened inherits it.
  Status open_processes() {
    processes_ = settings_.tree ? with_descendants(settings_.pids) : settings_.pids;
    for (pid_t pid : processes_) {
      auto threads = threads_of(pid);
      bool named = std::ranges::count(settings_.pids, pid) > 0;
      if (threads.empty() && named) return fail("there is no process {}", pid);
      for (pid_t tid : threads) std::ignore = TRY(rings_.open({.pid = tid}));
    }
    if (rings_.ids().empty()) return fail("{}: {}", rung_.name, std::strerror(ESRCH));
    return {};
  }

  Result<perf::Writer> make_writer() {
    const auto& attr = rings_.attr();
    perf::Writer::Event event{.name = rung_.name, .attr = {}, .ids = {}};
    event.attr.type = attr.type;
    event.attr.config = attr.config;
    event.attr.period = attr.sample_period;
    event.attr.sample_type = attr.sample_type;
    event.attr.branch_sample_type = attr.branch_sample_type;
    // the bits between read_format and wakeup_events
    std::memcpy(&event.attr.flags,
                reinterpret_cast<const char*>(&attr) + offsetof(perf_event_attr, read_format) + 8,
                8);
    event.ids.assign(rings_.ids().begin(), rings_.ids().end());
    auto writer = TRY(perf::Writer::create(settings_.output, {event}));
    describe_machine(writer.features(), settings_.command_line);
    return writer;
  }

  // While events are on: what is mapped meanwhile has records of its own, which are newer. They may
  // be many before all of /proc has been read.
  void write_running(perf::Writer& writer, u64 before) {
    if (program_ && !settings_.all_cpus) return;
    RunningProcesses running(writer, {.time = before, .id = rings_.ids()[0]});
    for (pid_t pid : settings_.all_cpus ? all_processes() : processes_) {
      running.write(pid);
      drain_rings(writer);
    }
    summary_.obstacle = running.obstacle();
  }

  bool drain_rings(perf::Writer& writer) {
    bool any = false;
    rings_.drain([&](Bytes record) {
      perf_event_header header;
      std::memcpy(&header, record.data(), sizeof header);
      if (header.type == PERF_RECORD_SAMPLE) ++summary_.counts.samples;
      if (header.type == PERF_RECORD_LOST) summary_.counts.lost += lost_in(record);
      writer.raw(record);
      any = true;
    });
    return any;
  }

  static u64 lost_in(Bytes record) {
    u64 lost = 0;  // after the header and the event's id
    constexpr size_t at = sizeof(perf_event_header) + 8;
    if (record.size() >= at + sizeof lost) std::memcpy(&lost, record.data() + at, sizeof lost);
    return lost;
  }

  void drain(perf::Writer& writer) {
    if (drain_rings(writer)) writer.finished_round();
    if (settings_.progress) settings_.progress(summary_.counts);
  }

  // What comes from the terminal has reached the program too. False: none has come.
  bool take_signal(int milliseconds = 0) {
    sigset_t set = forwarded_signals();
    siginfo_t info;
    timespec timeout{0, milliseconds * 1'000'000};
    if (sigtimedwait(&set, &info, &timeout) <= 0) return false;
    if (program_ && info.si_code != SI_KERNEL) kill(program_->pid(), info.si_signo);
    return true;
  }

  // What is recorded has ended.
  bool is_over() {
    if (ended_) return true;
    if (program_) return ended_ = program_has_ended();
    if (settings_.all_cpus) return false;
    if (settings_.cgroup.empty()) return ended_ = std::ranges::all_of(processes_, has_no_threads);
    if (monotonic_ns() < next_look_ns_) return false;
    next_look_ns_ = monotonic_ns() + group_look_ns;
    return ended_ = group_.processes().empty();
  }

  static bool has_no_threads(pid_t pid) { return threads_of(pid).empty(); }

  bool program_has_ended() {
    int status = 0;
    if (waitpid(program_->pid(), &status, WNOHANG) != program_->pid()) return false;
    summary_.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    summary_.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    return true;
  }

  Rung rung_;
  RecordSettings settings_;
  ControlGroup group_;
  EventRings rings_;
  std::optional<Launch> program_;
  std::vector<pid_t> processes_;  // that run already
  bool ended_ = false;
  u64 next_look_ns_ = 0;
  RecordSummary summary_;
};

}  // namespace

Choice choose_rung(const std::vector<Rung>& ladder, const RecordSettings& settings,
                   EventSource& events) {
  if (settings.all_cpus) return choose_rung(ladder, {.pid = -1, .cpu = 0}, events);
  if (settings.cgroup.empty()) return choose_rung(ladder, EventTarget{}, events);
  int fd = open_folder(settings.cgroup);
  if (fd < 0) return {{}, fmt::format("{}: {}", settings.cgroup, std::strerror(errno))};
  auto choice = choose_rung(ladder, {.pid = fd, .cpu = 0, .flags = PERF_FLAG_PID_CGROUP}, events);
  close(fd);
  return choice;
}

Result<RecordSummary> record_in_hardware(const Rung& rung, const RecordSettings& settings,
                                         EventSource& events) {
  return HardwareRecorder(rung, settings, events).run();
}

}  // namespace pgokit::record
