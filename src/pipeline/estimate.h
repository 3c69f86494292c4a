#pragma once

// Counts estimated where there are no branch stacks, and divided by context where that is wanted:
// the part that recordings and their text share.
//
//   auto read = TRY(estimate_from_ips(program, options.read, input, [&](const auto& each) {
//     return samples::count_ips(recording, program, how, each);
//   }));

#include "base/parallel.h"
#include "pipeline/read_input.h"
#include "samples/ip_counts.h"
#include "unwind/contexts/ip_contexts.h"

namespace pgokit::pipeline {

template <class Count>
Result<samples::IpRead> estimate_from_ips(const program::Program& program,
                                          const ReadOptions& options, ReadInput& input,
                                          const Count& count) {
  unwind::IpContexts contexts(program, worker_count(options.threads));
  samples::IpRead read = TRY(count(options.by_context ? contexts.each() : samples::EachChain{}));
  auto seen = read.counter.counts();
  auto estimate =
      samples::estimate_counts(program.code(), program.functions(), seen, options.threads);
  if (options.by_context && read.has_chains)
    input.contexts = contexts.divide(estimate.counts, options.contexts);
  else
    input.counts = std::move(estimate.counts);
  input.ip_only = estimate.quality;
  input.has_chains = read.has_chains;
  input.ips = std::move(seen.ips);
  return read;
}

}  // namespace pgokit::pipeline
