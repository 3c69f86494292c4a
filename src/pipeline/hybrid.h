#pragma once

// Samples with call chains → counts by context: the part that recordings and their text share.

#include "pipeline/read_input.h"

namespace pgokit::pipeline {

inline unwind::HybridRules hybrid_rules(const program::Program& program,
                                        const ReadOptions& options) {
  return {.by_frames = !program.has_probes(),
          .contexts = options.contexts,
          .list_faults = options.list_faults,
          .trusts_whole_chains = !options.llvm_profgen,
          .begin_stage = [&options](const char* name) { options.stage(name); }};
}

inline void take_contexts(unwind::HybridCounts&& read, ReadInput& input) {
  input.contexts = std::move(read.counts);
  input.unwound = std::move(read.facts);
  input.ranges = std::move(read.ranges);
}

}  // namespace pgokit::pipeline
