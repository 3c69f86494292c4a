#pragma once

// Targets of indirect calls as recordings of branches tell them, in the shape in which instrumented
// programs do: every indirect call in a branch stack is a sample of its target.
//
//   instrument::Profile targets = branch_targets(program, input.counts);
//   for (const auto& site : instrument::summaries_of(targets, MIP_TARGETS)) ...

#include "instrument/module.h"
#include "program/program.h"
#include "samples/counts.h"

namespace pgokit::generate {

// One module: the program's functions, and the calls and tail calls that were sampled. Targets out
// of the program are dropped values.
instrument::Profile branch_targets(const program::Program& program, const samples::Counts& counts);

}  // namespace pgokit::generate
