#pragma once

// What was unwound → counts per calling context.

#include "program/program.h"
#include "unwind/context_counts.h"
#include "unwind/recursion.h"
#include "unwind/unwinder.h"

namespace pgokit::unwind {

// Call chains as they are.
ContextCounts counts_by_path(Unwound unwound, unsigned threads = 1);

struct FrameRules {
  i64 longest_recursion = -1;
  u32 max_depth = ~u32{0};  // callers that a context keeps
};

// Call chains with their inline frames, ranges divided by them. The program's debug information has
// to be loaded.
ContextCounts counts_by_frames(Unwound unwound, const program::Program& program,
                               const FrameRules& rules, unsigned threads);

}  // namespace pgokit::unwind
