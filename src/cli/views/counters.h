#pragma once

// What the user is told about a profile made of the counters of an instrumented program.

#include "pipeline/road.h"
#include "report/json.h"

namespace pgokit::cli {

// On standard error.
void print_counters_summary(const pipeline::Road& road);
report::Json counters_json(const pipeline::Road& road);

}  // namespace pgokit::cli
