#pragma once

// perf script text → Counts of one program, by the rules of llvm-profgen 22.
//
//   auto read = TRY(count_script(text, program, {}));
//   use(read.folder.counts());
//
// Of hybrid samples the call chain decides only whether the sample is taken: one whose leaf is in a
// prologue or epilogue is not. The program's functions have to be loaded for hybrid text.

#include <optional>
#include <string>

#include "binary/program.h"
#include "samples/branch_folder.h"
#include "samples/recording_counts.h"

namespace pgokit::samples {

struct ScriptOptions {
  std::optional<u32> pid = {};  // only mapping events of this process
  unsigned threads = 0;
  Progress* progress = nullptr;  // told of the bytes that were read
};

struct ScriptRead {
  explicit ScriptRead(const binary::CodeMap& code) : folder(code) {}

  BranchFolder folder;
  SampleUse use;
  bool hybrid = false;
  bool mapped = false;     // a mapping of the program was seen before the first sample
  u64 bad_chains = 0;      // samples dropped for their call chain
  u64 bad_branches = 0;    // branch lines that are broken: their rest was dropped
  u64 first_bad_line = 0;  // of these, counted from 1
  std::string first_bad_text;
  u64 unparsable_events = 0;  // lines that look like mapping events
};

Result<ScriptRead> count_script(std::string_view text, const binary::Program& program,
                                const ScriptOptions& options);

}  // namespace pgokit::samples
