#include "record/recorder.h"

#include "record/software/tracer.h"
#include "record/x86/time_stamps.h"

namespace pgokit::record {

std::string_view software_obstacle() { return {}; }

Result<RecordSummary> record_in_software(const RecordSettings& settings) {
  // Not a divisor of the periods that programs themselves have.
  u64 period_ns = 1'000'000'000 / settings.frequency + 37;
  auto recording = TRY(RecordingFile::create({.path = settings.output,
                                              .period_ns = period_ns,
                                              .callchain = settings.callchain,
                                              .command = settings.command_line}));
  u64 tsc_per_us = cycles_per_us();
  auto engine =
      settings.single_step ? make_single_step_engine() : make_code_cache_engine(settings.length);
  Sampler sampler(*engine, recording,
                  {.depth = settings.depth,
                   .callchain = settings.callchain,
                   .period_ns = period_ns,
                   .cycles = tsc_per_us * settings.kept_ns / 1000,
                   .cycles_per_us = tsc_per_us});
  TickSource ticks(period_ns, Tracer::tick_signal());
  Tracer tracer(sampler, ticks, recording);
  if (settings.pid)
    TRY(tracer.attach(settings.pid));
  else
    TRY(tracer.launch(settings.command));
  tracer.run(settings.seconds, [&] {
    if (settings.progress) settings.progress(sampler.counts());
  });
  auto committed = recording.commit();
  int exit_code = tracer.wait_for_end();
  TRY(committed);
  return RecordSummary{.counts = sampler.counts(),
                       .file_size = recording.size(),
                       .exit_code = exit_code,
                       .obstacle = sampler.obstacle(),
                       .tick_obstacle = ticks.obstacle()};
}

}  // namespace pgokit::record
