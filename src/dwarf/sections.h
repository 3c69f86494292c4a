#pragma once

// The debug sections of one file: of a program, or of a .dwo or .dwp (whose names end in .dwo).

#include <vector>

#include "base/result.h"
#include "object/file.h"

namespace pgokit::dwarf {

struct Sections {
  Bytes info, abbrev, str, line_str, str_offsets, addr, ranges, rnglists, line, aranges;
  Bytes index;  // .debug_cu_index of a package
  bool split = false;
  // Of an object: the bytes of sections whose relocations were carried out.
  std::vector<std::vector<u8>> relocated;

  // Decompressed where needed. Sections that are not there are empty.
  static Result<Sections> of_program(const object::File& file);
  static Result<Sections> of_split(const object::File& file);
};

}  // namespace pgokit::dwarf
