#pragma once

// Which functions the samples of a recording were taken in: what perf report tells.
//
//   auto shares = TRY(function_samples(recording, program, {}));
//   if (shares) use(shares->total, shares->by_function[function]);

#include <optional>
#include <span>
#include <vector>

#include "samples/ip_counts.h"

namespace pgokit::annotate {

struct FunctionSamples {
  u64 total = 0;                 // in known functions of the program
  std::vector<u64> by_function;  // by number in the program's FunctionTable
};

// Nothing where a sample does not tell where the processor was. The functions are loaded.
Result<std::optional<FunctionSamples>> function_samples(const perf::Recording& recording,
                                                        const program::Program& program,
                                                        const samples::RecordingOptions& options);
// Of samples that have been counted already.
std::optional<FunctionSamples> function_samples(std::span<const samples::IpCounts::Seen> ips,
                                                const program::Program& program);

}  // namespace pgokit::annotate
