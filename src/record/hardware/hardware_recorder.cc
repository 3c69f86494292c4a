// One event and one ring buffer per processor, inherited by what the program starts. The rings are
// emptied in rounds: records of one round are in no order among processors, but are all older than
// those of the round after the next, which is what FINISHED_ROUND tells readers.
#include "record/hardware/hardware_recorder.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "perf/writer.h"
#include "record/hardware/perf_ring.h"
#include "record/system/clock.h"
#include "record/system/file_facts.h"
#include "record/system/launch.h"
#include "record/system/proc_status.h"

namespace pgokit::record {
namespace {

constexpr size_t ring_pages = 128;
constexpr int round_ms = 100;

struct Channel {
  int fd = -1;
  u64 id = 0;
  PerfRing ring;
};

class HardwareRecorder {
 public:
  HardwareRecorder(const Rung& rung, const RecordSettings& settings)
      : rung_(rung), settings_(settings), attr_(attr_for(rung, settings)) {}
  ~HardwareRecorder() {
    for (const auto& channel : channels_) close(channel.fd);
  }

  Result<RecordSummary> run() {
    sigset_t before = block_signals();
    auto result = settings_.pids.empty() ? run_command(before) : run_attached();
    sigprocmask(SIG_SETMASK, &before, nullptr);
    return result;
  }

 private:
  static perf_event_attr attr_for(const Rung& rung, const RecordSettings& settings) {
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
    attr.enable_on_exec = settings.pids.empty();
    return attr;
  }

  static sigset_t block_signals() {
    sigset_t set, before;
    sigemptyset(&set);
    for (int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) sigaddset(&set, signal);
    sigprocmask(SIG_BLOCK, &set, &before);
    return before;
  }

  Status open_channels(pid_t tid) {
    for (int cpu = 0; cpu < sysconf(_SC_NPROCESSORS_CONF); ++cpu) {
      auto fd = static_cast<int>(
          syscall(SYS_perf_event_open, &attr_, tid, cpu, -1, PERF_FLAG_FD_CLOEXEC));
      if (fd < 0 && errno == EINVAL && attr_.build_id) {  // before Linux 5.12
        attr_.build_id = 0;
        --cpu;
        continue;
      }
      if (fd < 0 && errno == ENODEV) continue;  // not online
      if (fd < 0) return fail("{}: {}", rung_.name, std::strerror(errno));
      auto ring = PerfRing::map(fd, ring_pages);
      u64 id = 0;
      ioctl(fd, PERF_EVENT_IOC_ID, &id);
      if (!ring) {
        close(fd);
        return fail("no memory for the kernel's records: {} (perf_event_mlock_kb)",
                    std::strerror(errno));
      }
      channels_.push_back({fd, id, std::move(*ring)});
    }
    return {};
  }

  Result<perf::Writer> make_writer() {
    perf::Writer::Event event{.name = rung_.name, .attr = {}, .ids = {}};
    event.attr.type = attr_.type;
    event.attr.config = attr_.config;
    event.attr.period = attr_.sample_period;
    event.attr.sample_type = attr_.sample_type;
    event.attr.branch_sample_type = attr_.branch_sample_type;
    // the bits between read_format and wakeup_events
    std::memcpy(&event.attr.flags,
                reinterpret_cast<const char*>(&attr_) + offsetof(perf_event_attr, read_format) + 8,
                8);
    for (const auto& channel : channels_) event.ids.push_back(channel.id);
    auto writer = TRY(perf::Writer::create(settings_.output, {event}));
    describe_machine(writer.features(), settings_.command_line);
    return writer;
  }

  void drain(perf::Writer& writer) {
    bool any = false;
    for (auto& channel : channels_)
      channel.ring.drain([&](Bytes record) {
        perf_event_header header;
        std::memcpy(&header, record.data(), sizeof header);
        if (header.type == PERF_RECORD_SAMPLE) ++summary_.counts.samples;
        writer.raw(record);
        any = true;
      });
    if (any) writer.finished_round();
    if (settings_.progress) settings_.progress(summary_.counts);
  }

  void wait_for_records() {
    std::vector<pollfd> list;
    for (const auto& channel : channels_) list.push_back({channel.fd, POLLIN, 0});
    poll(list.data(), list.size(), round_ms);
  }

  // A signal of those blocked, 0: none has come.
  static int take_signal(bool& from_terminal) {
    sigset_t set;
    sigemptyset(&set);
    for (int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) sigaddset(&set, signal);
    siginfo_t info;
    timespec now{};
    int signal = sigtimedwait(&set, &info, &now);
    from_terminal = signal > 0 && info.si_code == SI_KERNEL;
    return signal > 0 ? signal : 0;
  }

  Result<RecordSummary> run_command(const sigset_t& before) {
    auto program = TRY(Launch::prepare(settings_.command, before));
    TRY(open_channels(program.pid()));
    auto writer = TRY(make_writer());
    TRY(program.go());
    int status = 0;
    bool ended = false;
    u64 end = end_time();
    while (!ended && monotonic_ns() < end) {
      wait_for_records();
      ended = waitpid(program.pid(), &status, WNOHANG) == program.pid();
      bool from_terminal;
      int signal = take_signal(from_terminal);
      if (signal && !from_terminal) kill(program.pid(), signal);
      drain(writer);
    }
    auto finished = finish(writer);
    if (!ended) waitpid(program.pid(), &status, 0);
    TRY(finished);
    summary_.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return summary_;
  }

  Result<RecordSummary> run_attached() {
    auto pids = settings_.tree ? with_descendants(settings_.pids) : settings_.pids;
    for (pid_t pid : pids) {
      auto threads = threads_of(pid);
      bool named = std::ranges::count(settings_.pids, pid) > 0;
      if (threads.empty() && named) return fail("there is no process {}", pid);
      for (pid_t tid : threads) TRY(open_channels(tid));
    }
    auto writer = TRY(make_writer());
    for (pid_t pid : pids) write_mappings(writer, pid);
    for (const auto& channel : channels_) ioctl(channel.fd, PERF_EVENT_IOC_ENABLE, 0);
    u64 end = end_time();
    bool from_terminal;
    auto lives = [](pid_t pid) { return kill(pid, 0) == 0; };
    while (monotonic_ns() < end && std::ranges::any_of(pids, lives) &&
           !take_signal(from_terminal)) {
      wait_for_records();
      drain(writer);
    }
    TRY(finish(writer));
    return summary_;
  }

  void write_mappings(perf::Writer& writer, pid_t pid) {
    auto map = MemoryMap::read(pid);
    if (!map) return;  // it has ended
    auto id = static_cast<u32>(pid);
    perf::RecordId at{
        .pid = id, .tid = id, .time = monotonic_ns(), .cpu = 0, .id = channels_[0].id};
    writer.comm(at, comm_of(pid, pid), false);
    for (const auto& mapping : map->list())
      if (mapping.executable && mapping.readable)
        writer.mmap2(at, {.start = mapping.start,
                          .size = mapping.size(),
                          .file_offset = mapping.offset,
                          .path = mapping.path.empty() ? "//anon" : mapping.path,
                          .build_id = build_id_of(pid, mapping)});
  }

  u64 end_time() const {
    return settings_.seconds > 0 ? monotonic_ns() + static_cast<u64>(settings_.seconds * 1e9)
                                 : u64(-1);
  }

  Status finish(perf::Writer& writer) {
    for (const auto& channel : channels_) ioctl(channel.fd, PERF_EVENT_IOC_DISABLE, 0);
    drain(writer);
    auto committed = writer.commit();
    summary_.file_size = writer.size();
    return committed;
  }

  Rung rung_;
  RecordSettings settings_;
  perf_event_attr attr_;
  std::vector<Channel> channels_;
  RecordSummary summary_;
};

}  // namespace

Result<RecordSummary> record_in_hardware(const Rung& rung, const RecordSettings& settings) {
  return HardwareRecorder(rung, settings).run();
}

}  // namespace pgokit::record
