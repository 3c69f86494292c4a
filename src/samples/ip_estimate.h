#pragma once

// Instruction pointers → Counts like those of branch stacks, as well as can be known.
//
//   IpEstimate estimate = estimate_counts(program.code(), program.functions(),
//                                         read.counter.counts(), threads);
//   generate_flat(program, estimate.counts, {});
//
// A sample says where time was spent, so blocks have samples in proportion to what they cost.
// Samples of a block are spread over its instructions, and balanced with the blocks around it
// (flow_balance.h). Direct calls are counted like the block they are in. Where an indirect call
// goes only call chains tell: its count is divided by the samples taken under each function.

#include "program/code_map.h"
#include "program/functions.h"
#include "samples/counts.h"
#include "samples/ip_counts.h"

namespace pgokit::samples {

// What cannot be known, or is left to chance.
struct IpQuality {
  u64 samples = 0;       // in known functions
  u64 functions = 0;     // that have samples
  u64 well_sampled = 0;  // of these, with ten or more
  // The share of the executed instructions that is counted right if samples are spread by chance
  // alone: what two recordings of the same run have in common, not what both get wrong.
  double likely_overlap = 0;
  // Shares of all calls, by their estimated counts.
  double indirect_calls = 0, calls_without_target = 0;

  // Of another recording of the same program.
  void add(const IpQuality& other);
};

struct IpEstimate {
  Counts counts;
  IpQuality quality;
};

IpEstimate estimate_counts(const program::CodeMap& code, const program::FunctionTable& functions,
                           const IpCounts& seen, unsigned threads);

}  // namespace pgokit::samples
