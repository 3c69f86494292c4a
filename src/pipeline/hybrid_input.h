#pragma once

// Samples with call chains → counts per calling context, for generation.h.

#include "pipeline/generation.h"

namespace pgokit::pipeline {

Status read_hybrid_script(std::string_view text, const program::Program& program,
                          const GenerationOptions& options, ReadInput& input);

// Says in `mappings` and `other_build` whether the program was running.
struct ProgramSeen {
  u64 mappings = 0;
  std::string other_build;
};
Result<ProgramSeen> read_hybrid_recording(const perf::Recording& recording,
                                          const program::Program& program,
                                          const samples::RecordingOptions& how,
                                          const GenerationOptions& options, ReadInput& input);

}  // namespace pgokit::pipeline
