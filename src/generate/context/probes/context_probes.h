#pragma once

#include "generate/context/context_result.h"
#include "program/program.h"
#include "unwind/context_counts.h"

namespace pgokit::generate {

// Body, head and call-target samples of contexts by probe.
Status add_context_probes(const program::Program& program, unwind::ContextCounts counts,
                          const ContextProfileOptions& options, ContextResult& result);

}  // namespace pgokit::generate
