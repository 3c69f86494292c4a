#pragma once

// Functions that were inlined into others: they may have run there although their own code never
// did.
//
//   auto inlined = instrument::inlined_where_it_ran(module, *program.debug());
//   if (inlined.contains(name)) ...

#include <map>
#include <string>

#include "dwarf/debug_info.h"
#include "instrument/module.h"

namespace pgokit::instrument {

// By linkage name: executions of the blocks that have code of it, never 0; of functions whose
// blocks are not known their calls, or the dumps in which they ran.
using InlinedRuns = std::map<std::string, u64, std::less<>>;

// Of all that was inlined into code that ran. Where blocks are not known, what is in a function
// that ran is taken to have run.
InlinedRuns inlined_where_it_ran(const Module& module, const dwarf::DebugInfo& debug);

}  // namespace pgokit::instrument
