// The pass over machine functions, after inlining and layout.
#pragma once
#include "llvm/CodeGen/MachineFunctionPass.h"

namespace pgokit::plugin {

llvm::MachineFunctionPass* make_instrument_pass();

}  // namespace pgokit::plugin
