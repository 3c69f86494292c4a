#pragma once

// A program's machine code cut at its symbols: the pieces that a disassembler goes through one by
// one.
//
//   for (const CodeRegion& region : code_regions({file, layout, symbols}, RegionRules::all))
//     print(region.symbol, region.address, region.code);
//
// Sections in the order of their headers, regions by address, several symbols of one address by
// name: all but the last of these are empty. Addresses are those of object::Layout.

#include <string_view>
#include <vector>

#include "object/file.h"
#include "object/relocations.h"

namespace pgokit::program {

struct CodeRegion {
  const object::Section* section = nullptr;
  std::string_view symbol;  // empty in front of the first one
  u64 address = 0;
  Bytes code;
};

enum class RegionRules : u8 {
  all,      // every code byte; symbols that mark data or have no name do not count
  as_peer,  // as llvm-profgen: not .plt, nothing in front of the first symbol, every symbol counts
};

struct RegionSource {
  const object::File& code;
  const object::Layout& layout;                // of that file
  const std::vector<object::Symbol>& symbols;  // linked programs: also of a separate debug file
  bool own_symbols = true;                     // they are of the same file
};
std::vector<CodeRegion> code_regions(const RegionSource& source, RegionRules rules);

}  // namespace pgokit::program
