// Functions that a run never reached, made small: a list of names, as `pgokit export --never-ran`
// writes it, gives them attributes at the start of the pipeline. What ran is compiled as without a
// profile.
#pragma once
#include "llvm/IR/Module.h"

namespace pgokit::plugin {

// By -pgokit-cold-functions. Whether any function was marked.
bool mark_cold(llvm::Module& module);

}  // namespace pgokit::plugin
