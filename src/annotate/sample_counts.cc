#include "annotate/sample_counts.h"

namespace pgokit::annotate {

Result<std::optional<FunctionSamples>> function_samples(const perf::Recording& recording,
                                                        const program::Program& program,
                                                        const samples::RecordingOptions& options) {
  auto read = TRY(samples::count_ips(recording, program, options));
  FunctionSamples samples;
  samples.by_function.resize(program.functions().size());
  for (const auto& seen : read.counter.counts().ips) {
    const auto* range = program.functions().find(program.code().address_of(seen.at).value);
    if (!range) continue;
    samples.by_function[range->function] += seen.count;
    samples.total += seen.count;
  }
  if (samples.total == 0) return std::optional<FunctionSamples>();
  return std::optional(std::move(samples));
}

}  // namespace pgokit::annotate
