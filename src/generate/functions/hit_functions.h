#pragma once

// Only what samples hit is decoded: which functions that is, and their probes.

#include <vector>

#include "generate/functions/code_functions.h"
#include "probe/table.h"
#include "program/program.h"
#include "samples/counts.h"
#include "unwind/context_counts.h"

namespace pgokit::generate {

// By number of function: whether a range starts in it, or a branch leaves or enters it.
std::vector<bool> functions_hit(const program::FunctionTable& functions,
                                const samples::Counts& counts);

// The same of counts in contexts; the calls of their paths are hit too.
std::vector<bool> functions_hit(const program::FunctionTable& functions,
                                const CodeFunctions& function_of_code,
                                const unwind::ContextCounts& counts);

// The probes of these functions.
probe::Decoded decode_probes(const program::Program& program, const probe::Table& table,
                             const std::vector<bool>& hit);

}  // namespace pgokit::generate
