// Targets of indirect calls, from the file that -pgokit-use names, attached to the calls: what the
// stock pass for promoting indirect calls works by.
#pragma once
#include "llvm/Passes/PassBuilder.h"

namespace pgokit::plugin {

// At the start of the pipeline, where calls are as in the source.
void add_use_passes(llvm::ModulePassManager& passes);

// In the link of ThinLTO, where targets of other modules have been imported.
void add_use_passes_of_link(llvm::ModulePassManager& passes);

}  // namespace pgokit::plugin
