#pragma once

// Which operands an instruction has, and of what size and sign, as LLVM prints them in both
// syntaxes.

#include "isa/x86/decoded.h"

namespace pgokit::isa {

void fit_operands(DecodedX86& one);

}  // namespace pgokit::isa
