#pragma once

// Functions that were inlined into others: they may have run there although their own code never
// did.
//
//   auto inlined = instrument::inlined_where_it_ran(module, *program.debug());
//   if (inlined.contains(name)) ...

#include <set>
#include <string>

#include "dwarf/debug_info.h"
#include "instrument/module.h"

namespace pgokit::instrument {

using InlinedNames = std::set<std::string, std::less<>>;

// Linkage names of all that was inlined into functions that ran. Not known by block: what is in a
// function that ran is taken to have run.
InlinedNames inlined_where_it_ran(const Module& module, const dwarf::DebugInfo& debug);

}  // namespace pgokit::instrument
