#pragma once

// The words of AT&T syntax as LLVM prints them.

#include <string>

#include "isa/formatter.h"
#include "isa/x86/decoded.h"

namespace pgokit::isa {

std::string att_mnemonic(const DecodedX86& one, Flow flow);

}  // namespace pgokit::isa
