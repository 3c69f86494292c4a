#include "record/recorder.h"

#include <tsl/robin_set.h>
#include <unistd.h>

#include <algorithm>
#include <optional>
#include <tuple>

#include "record/software/sampler.h"
#include "record/software/tracer.h"
#include "record/software/whole_run.h"
#include "record/system/clock.h"
#include "record/system/control_group.h"
#include "record/system/idle_limit.h"
#include "record/system/memory_map.h"
#include "record/system/privileges.h"
#include "record/system/proc_status.h"
#include "record/x86/scratch.h"
#include "record/x86/time_stamps.h"

namespace pgokit::record {

namespace {

// A window of usual length has some 50 samples of them.
constexpr u64 accesses_per_sample = 4096;

// Those that were named must be there; of the others some may have ended, or be followed already.
// What they start while the list is read is in the next one.
Status attach_named(Tracer& tracer, const RecordSettings& settings) {
  for (pid_t pid : settings.pids) TRY(tracer.attach(pid));
  for (size_t known = settings.pids.size(); settings.tree;) {
    auto pids = with_descendants(settings.pids);
    if (pids.size() <= known) break;
    for (size_t i = settings.pids.size(); i < pids.size(); ++i)
      std::ignore = tracer.attach(pids[i]);
    known = pids.size();
  }
  return {};
}

// The processes of a control group: those that are in it, and those that others put there later.
class GroupMembers {
 public:
  explicit GroupMembers(const std::string& folder) : group_(folder) {}

  Status attach_first(Tracer& tracer) {
    TRY(group_.some_processes());
    if (attach(tracer) > 0 || refusal_.empty()) return {};
    return fail("{}", refusal_);
  }

  // Not at each call.
  void attach_new(Tracer& tracer) {
    if (monotonic_ns() >= next_look_ns_ || !tracer.follows_any()) attach(tracer);
  }

  // Why one could not be attached to, empty where all could.
  const std::string& refusal() const { return refusal_; }

 private:
  // Until a pass finds no new one.
  size_t attach(Tracer& tracer) {
    constexpr u64 between_looks_ns = 500'000'000;
    size_t attached = 0;
    for (bool found = true; found;) {
      found = false;
      for (pid_t pid : group_.processes()) {
        if (tracer.follows(pid) || tracer_of(pid) == getpid() || refused_.contains(pid)) continue;
        if (auto status = tracer.attach(pid))
          found = true, ++attached;
        else if (is_program(pid))
          note_refusal(pid, status.error());
      }
    }
    next_look_ns_ = monotonic_ns() + between_looks_ns;
    return attached;
  }

  // It has not ended, and is none of the kernel's.
  static bool is_program(pid_t pid) {
    auto map = MemoryMap::read(pid);
    return !threads_of(pid).empty() && !(map && map->list().empty());
  }

  void note_refusal(pid_t pid, const Error& error) {
    refused_.insert(pid);
    if (refusal_.empty()) refusal_ = error.message;
  }

  ControlGroup group_;
  tsl::robin_set<pid_t> refused_;
  std::string refusal_;
  u64 next_look_ns_ = 0;
};

// Where a frequency says how many windows there are, they are as long as the time between them.
u64 window_us_of(const RecordSettings& settings) {
  constexpr u64 usual = 1000, shortest = 100;
  if (settings.window_us) return settings.window_us;
  if (!settings.frequency) return usual;
  return std::clamp(1'000'000 / settings.frequency, shortest, usual);
}

// As long as many windows are taken: a service may be recorded for days, and do nothing.
class AwakeForWindows {
 public:
  AwakeForWindows() { limit_.set(true); }

  // Ten times a second.
  void update(u64 windows) {
    constexpr u64 enough = 3;
    limit_.set(windows - seen_ >= enough);
    seen_ = windows;
  }

 private:
  IdleLimit limit_;
  u64 seen_ = 0;
};

// Follows the program to its end, or to that of the recording. `write_counts` is told whether they
// are of a part of the run only.
Result<RecordSummary> follow(const RecordSettings& settings, Follower& follower, TickSource& ticks,
                             RecordingFile& recording,
                             const std::function<void(bool)>& write_counts) {
  ProgramChoice programs(settings.only);
  Tracer tracer(follower, ticks, recording, programs);
  std::optional<GroupMembers> members;
  if (!settings.command.empty()) {
    TRY(tracer.launch(settings.command));
  } else if (settings.cgroup.empty()) {
    TRY(attach_named(tracer, settings));
  } else {
    members.emplace(settings.cgroup);
    TRY(members->attach_first(tracer));
  }
  std::optional<AwakeForWindows> awake;
  if (!is_whole_run(follower.purpose())) awake.emplace();
  tracer.run(settings.seconds, [&] {
    if (awake) awake->update(follower.counts().windows);
    if (members) members->attach_new(tracer);
    if (settings.progress) settings.progress(follower.counts());
  });
  awake.reset();
  write_counts(settings.command.empty() || tracer.time_is_over() || !tracer.left_running().empty());
  auto committed = has_recorded(follower.counts()) ? recording.commit() : Status();
  int exit_code = tracer.wait_for_end();
  TRY(committed);
  auto obstacle = follower.obstacle();
  if (obstacle.empty() && members) obstacle = members->refusal();
  return RecordSummary{.counts = follower.counts(),
                       .file_size = recording.size(),
                       .exit_code = exit_code,
                       .signal = tracer.end_signal(),
                       .is_dense = follower.has_enough(),
                       .ended_dense = tracer.had_enough(),
                       .interrupted = tracer.interrupted(),
                       .left_running = tracer.left_running(),
                       .programs = programs.seen(),
                       .obstacle = obstacle,
                       .tick_obstacle = ticks.obstacle()};
}

}  // namespace

std::string_view software_obstacle() { return {}; }

Result<RecordSummary> record_in_software(const RecordSettings& settings) {
  if (auto obstacle = process_files_obstacle(); !obstacle.empty()) return fail("{}", obstacle);
  auto budget = settings.frequency ? Budget::fixed(1'000'000'000 / settings.frequency)
                                   : Budget(settings.slowdown);
  u64 period_ns = budget.period_ns();
  auto recording = TRY(RecordingFile::create({.path = settings.output,
                                              .period_ns = period_ns,
                                              .callchain = settings.callchain,
                                              .accesses = settings.memory ? accesses_per_sample : 0,
                                              .reproducible = settings.exact,
                                              .command = settings.command_line}));
  auto times = settings.frequency ? TickTimes::memoryless : TickTimes::once_a_period;
  TickSource ticks(period_ns, times, Tracer::tick_signal());
  if (settings.exact) {
    WholeRunCounter counter(recording, settings.contexts);
    return follow(settings, counter, ticks, recording,
                  [&](bool part_of_run) { counter.write_counts(part_of_run); });
  }
  u64 tsc_per_us = cycles_per_us();
  auto engine = settings.single_step ? make_single_step_engine()
                                     : make_code_cache_engine(tsc_per_us * window_us_of(settings));
  Sampler sampler(*engine, recording,
                  {.depth = settings.depth,
                   .callchain = settings.callchain,
                   .cycles = tsc_per_us * settings.kept_ns / 1000,
                   .cycles_per_us = tsc_per_us,
                   .budget = budget,
                   .until_dense = settings.until_dense,
                   .accesses = settings.memory ? accesses_per_sample : 0});
  return follow(settings, sampler, ticks, recording, [&](bool) { sampler.write_counts(); });
}

}  // namespace pgokit::record
