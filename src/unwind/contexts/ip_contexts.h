#pragma once

// Call chains without branch stacks → counts per calling context.
//
//   IpContexts contexts(program, workers);
//   auto read = TRY(samples::count_ips(recording, program, options, contexts.each()));
//   auto estimate = samples::estimate_counts(program.code(), program.functions(),
//                                            read.counter.counts(), threads);
//   ContextCounts counts = contexts.divide(estimate.counts, {});
//
// Contexts are call sites in programs with probes, else inline frames.
// The counts of a function are estimated over all of its samples and then divided among the
// contexts that it was sampled in: within a function all contexts look alike, because the samples
// of one context are too few to tell them apart.

#include <vector>

#include "program/program.h"
#include "samples/ip_counts.h"
#include "unwind/by_context.h"

namespace pgokit::unwind {

class IpContexts {
 public:
  IpContexts(const program::Program& program, unsigned workers)
      : program_(program), chains_(workers) {}

  samples::EachChain each() {
    return
        [this](unsigned worker, std::span<const BinaryAddr> chain) { add(chains_[worker], chain); };
  }

  // The same for any number of workers. `policy`: for inline frames, for which the program's debug
  // information has to be loaded.
  ContextCounts divide(const samples::Counts& counts, const ContextPolicy& policy) const;

 private:
  // One worker's samples: how many there are of each function in each chain of calls.
  struct Chains {
    CallPaths paths;
    tsl::robin_map<u64, u64, IntHash> samples;  // by path and function
    std::vector<CodeIndex> calls;
  };
  struct Context {
    std::vector<CodeIndex> calls;  // outermost first
    u32 function = 0;
    u64 samples = 0;
  };

  void add(Chains& chains, std::span<const BinaryAddr> chain) const;
  std::vector<Context> merged() const;

  const program::Program& program_;
  std::vector<Chains> chains_;
};

}  // namespace pgokit::unwind
