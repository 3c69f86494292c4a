#pragma once

// What llvm-profgen 22 warns of, in its words and its order, on standard error. Its long lists (a
// line for each broken line of the input) are one line here.

#include "cli/llvm/profgen_options.h"

namespace pgokit::cli {

void warn_of_program(const program::Program& program, const ProfgenSettings& settings);
void warn_of_input(const program::Program& program, const pipeline::ReadInput& input,
                   const ProfgenSettings& settings);
// And prints the density, where that is asked for.
void warn_of_density(const ProfgenSettings& settings, const profile::Density& density);

}  // namespace pgokit::cli
