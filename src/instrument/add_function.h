#pragma once

#include "instrument/module.h"

namespace pgokit::instrument {

// Adds what is known of function `k` of `from`, times `weight`, to function `i` of `into`, which
// has the same kinds and number of counters.
void add_function(Module& into, u32 i, const Module& from, u32 k, u64 weight);

}  // namespace pgokit::instrument
