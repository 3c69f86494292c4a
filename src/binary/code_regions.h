#pragma once

// A program's machine code cut at its symbols: the pieces that a disassembler goes through one by
// one.
//
//   for (const CodeRegion& region : code_regions({file, layout, symbols}, RegionRules::all))
//     print(region.symbol, region.address, region.code);
//
// Sections in the order of their headers, regions by address, several symbols of one address by
// name: all but the last of these are empty. Addresses are those of elf::Layout.

#include <string_view>
#include <vector>

#include "elf/file.h"
#include "elf/relocations.h"

namespace pgokit::binary {

struct CodeRegion {
  const elf::Section* section = nullptr;
  std::string_view symbol;  // empty in front of the first one
  u64 address = 0;
  Bytes code;
};

enum class RegionRules : u8 {
  all,      // every code byte; symbols that mark data or have no name do not count
  as_peer,  // as llvm-profgen: not .plt, nothing in front of the first symbol, every symbol counts
};

struct RegionSource {
  const elf::File& code;
  const elf::Layout& layout;                // of that file
  const std::vector<elf::Symbol>& symbols;  // linked programs: also of a separate debug file
  bool own_symbols = true;                  // they are of the same file
};
std::vector<CodeRegion> code_regions(const RegionSource& source, RegionRules rules);

}  // namespace pgokit::binary
