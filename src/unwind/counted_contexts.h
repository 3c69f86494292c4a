#pragma once

// Branches that a recorder has counted by calling context → counts per context of one program.
//
//   if (has_counted_contexts(recording)) {
//     auto read = TRY(read_counted_contexts(recording, program, rules, {}));
//     use(read.counts);
//   }
//
// As from samples (hybrid_recording.h), but of all that ran.

#include "unwind/hybrid_recording.h"

namespace pgokit::unwind {

bool has_counted_contexts(const perf::Recording& recording);
// An error that tells how to record, where a whole run was counted without them: it has no samples.
Status check_counted_contexts(const perf::Recording& recording);

Result<HybridRecording> read_counted_contexts(const perf::Recording& recording,
                                              const program::Program& program,
                                              const HybridRules& rules,
                                              const samples::RecordingOptions& options);

}  // namespace pgokit::unwind
