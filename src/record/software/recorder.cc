#include "record/recorder.h"

#include <tuple>

#include "record/software/sampler.h"
#include "record/software/tracer.h"
#include "record/software/whole_run.h"
#include "record/system/proc_status.h"
#include "record/x86/time_stamps.h"

namespace pgokit::record {

namespace {

// Those that were named must be there; of the others some may have ended, or be followed already.
// What they start while the list is read is in the next one.
Status attach_all(Tracer& tracer, const RecordSettings& settings) {
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

// Follows the program to its end, or to that of the recording.
Result<RecordSummary> follow(const RecordSettings& settings, Follower& follower, TickSource& ticks,
                             RecordingFile& recording,
                             const std::function<perf::BranchCounts()>& counts) {
  Tracer tracer(follower, ticks, recording);
  if (settings.pids.empty())
    TRY(tracer.launch(settings.command));
  else
    TRY(attach_all(tracer, settings));
  tracer.run(settings.seconds, [&] {
    if (settings.progress) settings.progress(follower.counts());
  });
  recording.branch_counts(counts());
  auto committed = recording.commit();
  int exit_code = tracer.wait_for_end();
  TRY(committed);
  return RecordSummary{.counts = follower.counts(),
                       .file_size = recording.size(),
                       .exit_code = exit_code,
                       .obstacle = follower.obstacle(),
                       .tick_obstacle = ticks.obstacle()};
}

}  // namespace

std::string_view software_obstacle() { return {}; }

Result<RecordSummary> record_in_software(const RecordSettings& settings) {
  auto budget = settings.frequency ? Budget::fixed(1'000'000'000 / settings.frequency)
                                   : Budget(settings.slowdown);
  u64 period_ns = budget.period_ns();
  auto recording = TRY(RecordingFile::create({.path = settings.output,
                                              .period_ns = period_ns,
                                              .callchain = settings.callchain,
                                              .reproducible = settings.exact,
                                              .command = settings.command_line}));
  TickSource ticks(period_ns, Tracer::tick_signal());
  if (settings.exact) {
    WholeRunCounter counter(recording);
    return follow(settings, counter, ticks, recording, [&] { return counter.branch_counts(); });
  }
  u64 tsc_per_us = cycles_per_us();
  auto engine =
      settings.single_step ? make_single_step_engine() : make_code_cache_engine(settings.passes);
  Sampler sampler(*engine, recording,
                  {.depth = settings.depth,
                   .callchain = settings.callchain,
                   .cycles = tsc_per_us * settings.kept_ns / 1000,
                   .cycles_per_us = tsc_per_us,
                   .budget = budget,
                   .until_dense = settings.until_dense});
  return follow(settings, sampler, ticks, recording, [&] {
    sampler.estimate();
    return sampler.branch_counts();
  });
}

}  // namespace pgokit::record
