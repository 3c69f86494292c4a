#pragma once

#include "generate/context_samples.h"
#include "generate/contexts.h"

namespace pgokit::generate {

// Samples by the debug information. The counts' memory is given back on the way.
ContextSamples context_lines(const binary::Program& program, unwind::ContextCounts counts,
                             const ContextProfileOptions& options);

}  // namespace pgokit::generate
