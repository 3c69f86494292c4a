#pragma once

// A place in the code while samples are unwound: the index of an instruction, or one of two numbers
// that no instruction has.

#include "program/code_map.h"

namespace pgokit::unwind {

using Place = u32;

// Not an instruction of the program.
inline constexpr Place outside = static_cast<u32>(program::no_code);
// Where a call should stand whose return was seen, and none does.
inline constexpr Place no_call = outside - 1;

}  // namespace pgokit::unwind
