#pragma once

// The words of Intel syntax as LLVM prints them.

#include <string>
#include <string_view>

#include "isa/x86/decoded.h"

namespace pgokit::isa {

std::string intel_mnemonic(const DecodedX86& one);

// "dword ptr ", or nothing where an operand in memory has no size.
std::string_view intel_size(const DecodedX86& one, const ZydisDecodedOperand& operand);

}  // namespace pgokit::isa
