#pragma once

// Counts per calling context + program → samples of calling contexts.
//
//   auto made = TRY(generate_contexts(program, std::move(counts), {}));
//   use(made.samples);
//
// From pseudo probes, or from debug information, as the counts are. Each calling context has the
// samples of its leaf; nothing is merged, trimmed or nested yet. The same samples as
// llvm-profgen's, but for lost loops. The program's functions must be loaded.

#include "generate/context/context_result.h"
#include "probe/damage.h"
#include "program/program.h"
#include "unwind/context_counts.h"

namespace pgokit::generate {

Result<ContextResult> generate_contexts(const program::Program& program,
                                        unwind::ContextCounts counts,
                                        const ContextProfileOptions& options);

}  // namespace pgokit::generate
