#pragma once

// Which places of the source ran, and which never did in functions that ran: what the plugin makes
// branch weights of.
//
//   for (const auto& function : instrument::block_places(module, *program.debug()))
//     for (const auto& place : function.places) use(place.line, place.column, place.ran);
//
// A place ran if code of it is in a block that ran, of whichever function: inlined code counts
// where it was written. Functions of which all or nothing ran are left out, and so are inlined ones whose
// name several have.

#include <string>
#include <vector>

#include "dwarf/debug_info.h"
#include "instrument/module.h"

namespace pgokit::instrument {

struct BlockPlace {
  u32 line = 0, column = 0;  // the line after that of the function
  bool ran = false;
  auto operator<=>(const BlockPlace&) const = default;
};

struct FunctionPlaces {
  std::string name;  // in the source
  u64 checksum = 0;  // 0: not known
  std::vector<BlockPlace> places;
};

// By name. Of functions whose blocks were counted or covered.
std::vector<FunctionPlaces> block_places(const Module& module, const dwarf::DebugInfo& debug);

}  // namespace pgokit::instrument
