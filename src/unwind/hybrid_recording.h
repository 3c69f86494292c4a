#pragma once

// perf.data with call chains → counts per calling context.
//
//   auto read = TRY(unwind_recording(recording, program, rules, {}));
//   use(read.counts, read.use);
//
// Each process has its own load addresses (samples/recording_maps.h). Of a chain only the part in
// user space is taken. The program's functions have to be loaded.

#include "samples/recording_counts.h"
#include "unwind/hybrid.h"

namespace pgokit::unwind {

struct HybridRecording : HybridCounts {
  samples::EventChoice events;
  perf::ReadCounts unreadable;
  u64 mappings = 0;         // of the program's code; 0: it did not run, nothing is counted
  std::string other_build;  // build id of another build of the program that ran
  bool matched_by_name = false;
};

// Whether samples of the recording can have both a call chain and a branch stack.
bool has_call_chains(const perf::Recording& recording);

Result<HybridRecording> unwind_recording(const perf::Recording& recording,
                                         const program::Program& program, const HybridRules& rules,
                                         const samples::RecordingOptions& options);

}  // namespace pgokit::unwind
