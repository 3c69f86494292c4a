#pragma once

// The text of one word in LLVM's words, aliases like "ret" and "mv" too.

#include <string>

#include "isa/riscv/word.h"

namespace pgokit::isa::riscv {

// False: the word is none of RV32G's or RV64G's instructions, and nothing is added. Targets of
// branches count from `address`.
bool append_text(u32 word, Width width, u64 address, std::string& text);

}  // namespace pgokit::isa::riscv
