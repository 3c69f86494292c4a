#pragma once

// Maps, raw dumps and profiles of instrumented programs merged: `pgokit map` and `pgokit merge`.

#include "base/file.h"
#include "pipeline/input_files.h"
#include "pipeline/inputs.h"

namespace pgokit::cli {

// Whether one of them is an instrumented program, its map, a dump or a profile of those.
bool are_instrumented(const pipeline::Inputs& inputs);

struct InstrumentedMerge {
  const char* command = "merge";  // for messages
  pipeline::Inputs inputs;
  std::string output;
  std::string onto = {};  // a map: what other builds counted goes to this one
  bool strict = false;    // anything left out is a failure
  bool quiet = false;
};

// A file that is ready to appear.
struct MadeInstrumented {
  OutputFile output;
  std::string outcome;  // for people: what is in it, and what can be done next
  int code = 0;         // 3: something was left out
};

// Says on standard error what was left out.
Result<MadeInstrumented> make_instrumented(const InstrumentedMerge& merge);

// Writes it too, and says what came out. The exit code.
Result<int> merge_instrumented(const InstrumentedMerge& merge);

}  // namespace pgokit::cli
