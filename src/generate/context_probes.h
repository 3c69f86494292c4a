#pragma once

#include "generate/contexts.h"

namespace pgokit::generate {

// Body, head and call-target samples of contexts by probe.
Status add_context_probes(const binary::Program& program, unwind::ContextCounts counts,
                          const ContextProfileOptions& options, ContextResult& result);

}  // namespace pgokit::generate
