#pragma once

// perf script text → Counts of one program, by the rules of llvm-profgen 22 (perf/script.h).
//
//   auto read = TRY(count_script(text, program, {}));
//   use(read.sums.counts());
//
// Of hybrid samples the call chain decides only whether the sample is taken: one whose leaf is in a
// prologue or epilogue is not. The program's functions have to be loaded for hybrid text.

#include "program/program.h"
#include "samples/branch_folder.h"
#include "samples/recording_counts.h"
#include "samples/script_reading.h"

namespace pgokit::samples {

struct ScriptRead {
  explicit ScriptRead(const program::CodeMap& code) : sums(code) {}

  BranchSums sums;
  SampleUse use;
  bool hybrid = false;
  // Samples with call chains as they stand there, and the empty lines between them; of these, taken
  // outside of the program.
  u64 begun = 0, outside_leaves = 0;
  ScriptFacts facts;
};

Result<ScriptRead> count_script(std::string_view text, const program::Program& program,
                                const ScriptOptions& options);

}  // namespace pgokit::samples
