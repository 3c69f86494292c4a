#pragma once

// What the user is told about a profile that was made: errors for what is useless, warnings for
// what is thin, and where every sample went.

#include "pipeline/road.h"
#include "report/json.h"

namespace pgokit::cli {

// Fails for an input of which nothing is the program's.
Status check_input(const pipeline::Road& road);
// Fails for an input that nothing but the program's name says to be of it, where most ranges cannot
// be.
Status check_build(const pipeline::Road& road);
// Fails for a profile without samples.
Status check_generated(const pipeline::Road& road);

// On standard error: accounting, warnings, the next command.
void print_summary(const pipeline::Road& road);
// What went in and out, a line each, on standard error.
void print_stats(const pipeline::Road& road);
report::Json json_of(const pipeline::Road& road, bool with_stats = false);

}  // namespace pgokit::cli
