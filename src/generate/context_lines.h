#pragma once

#include "generate/contexts.h"

namespace pgokit::generate {

// Body, head and call-target samples of contexts by source line, from the debug information. The
// contexts of the profile are those of the counts.
void add_context_lines(const binary::Program& program, const unwind::ContextCounts& counts,
                       const ContextProfileOptions& options, profile::Profile& profile);

}  // namespace pgokit::generate
