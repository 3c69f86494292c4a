#pragma once

// Names for the locations of stacks whose addresses are places in files.
//
//   auto nameless = name_locations(stacks, options);    // paths of modules without names

#include "stacks/read/read.h"

namespace pgokit::stacks {

// Addresses become those of the linker where the file is found. Locations of a module have to be
// neighbours, ascending.
std::vector<std::string> name_locations(Stacks& stacks, const ReadOptions& options);

}  // namespace pgokit::stacks
