#pragma once

// The time stamp counter, by which translated code takes its time.

#include "base/types.h"

namespace pgokit::record {

// Measured, in two milliseconds.
u64 cycles_per_us();

}  // namespace pgokit::record
