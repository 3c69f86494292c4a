#pragma once

#include "dwarf/debug_info.h"

namespace pgokit::dwarf {

// Lines after the function's first one, as profiles and clang count them: in 16 bits, so that code
// of an earlier line, or of none (line 0), has a large number.
inline u32 line_offset(const Frame& frame) { return (frame.line - frame.start_line) & 0xffff; }

}  // namespace pgokit::dwarf
