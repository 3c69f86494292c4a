#pragma once

// The operands of an x86-64 instruction as LLVM prints them, written from what Zydis decodes.

#include <string>

#include "isa/formatter.h"
#include "isa/x86/decoded.h"

namespace pgokit::isa {

// Adds a tab and the operands, if there are any, in the order and form of the syntax.
void append_operands(const DecodedX86& one, const Printed& printed, Syntax syntax,
                     std::string& text);

}  // namespace pgokit::isa
