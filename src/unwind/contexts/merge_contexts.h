#pragma once

// Counts per calling context of several inputs → those of all.
//
//   merge(into, more);
//
// Both are of one kind. Of a context that both have, `into` knows whether its leaf was inlined.

#include "unwind/context_counts.h"

namespace pgokit::unwind {

void merge(ContextCounts& into, const ContextCounts& from);

}  // namespace pgokit::unwind
