#pragma once

// What was unwound → counts per calling context.

#include "program/program.h"
#include "unwind/context_counts.h"
#include "unwind/context_policy.h"
#include "unwind/recursion.h"
#include "unwind/unwinder.h"

namespace pgokit::unwind {

// Call chains as they are.
ContextCounts counts_by_path(Unwound unwound, unsigned threads = 1);

// Call chains with their inline frames, ranges divided by them. The program's debug information has
// to be loaded.
ContextCounts counts_by_frames(Unwound unwound, const program::Program& program,
                               const ContextPolicy& policy, unsigned threads);

}  // namespace pgokit::unwind
