#pragma once

// Which words are instructions of Armv8.0 with floating point and Neon: what LLVM 22 disassembles
// when it is told no features, and so llvm-profgen 22. Words of later extensions (atomics of
// Armv8.1, `retaa`, SVE) are none.

#include "base/types.h"

namespace pgokit::isa {

bool is_base_instruction(u32 word);

}  // namespace pgokit::isa
