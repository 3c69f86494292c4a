#pragma once

#include "generate/context/context_result.h"
#include "generate/context/context_samples.h"
#include "program/program.h"
#include "unwind/context_counts.h"

namespace pgokit::generate {

// Samples by the debug information. The counts' memory is given back on the way.
ContextSamples context_lines(const program::Program& program, unwind::ContextCounts counts,
                             const ContextProfileOptions& options);

}  // namespace pgokit::generate
