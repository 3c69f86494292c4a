#include "annotate/sample_counts.h"

namespace pgokit::annotate {

Result<std::optional<FunctionSamples>> function_samples(const perf::Recording& recording,
                                                        const program::Program& program,
                                                        const samples::RecordingOptions& options) {
  auto read = TRY(samples::count_ips(recording, program, options));
  return function_samples(read.counter.counts().ips, program);
}

std::optional<FunctionSamples> function_samples(std::span<const samples::IpCounts::Seen> ips,
                                                const program::Program& program) {
  FunctionSamples samples;
  samples.by_function.resize(program.functions().size());
  for (const auto& seen : ips) {
    const auto* range = program.functions().find(program.code().address_of(seen.at).value);
    if (!range) continue;
    samples.by_function[range->function] += seen.count;
    samples.total += seen.count;
  }
  if (samples.total == 0) return std::nullopt;
  return samples;
}

}  // namespace pgokit::annotate
