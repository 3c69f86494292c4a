#pragma once

// perf script text with call chains → counts per calling context.
//
//   auto read = TRY(unwind_script(text, program, rules, {}));
//   use(read.counts, read.facts);
//
// The program's functions have to be loaded.

#include "samples/script_reading.h"
#include "unwind/hybrid.h"

namespace pgokit::unwind {

struct HybridScript : HybridCounts {
  samples::ScriptFacts script;
};

Result<HybridScript> unwind_script(std::string_view text, const program::Program& program,
                                   const HybridRules& rules, const samples::ScriptOptions& options);

}  // namespace pgokit::unwind
