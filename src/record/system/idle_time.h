#pragma once

#include "base/types.h"

namespace pgokit::record {

// How long the processors that this process may use have been idle since they were started, all
// together, to some 10 ms for each; 0 where that is not told.
u64 idle_ns();

}  // namespace pgokit::record
