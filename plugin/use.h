// What the file that -pgokit-use names says of functions: they are marked by their hotness; targets
// are attached to indirect calls and sizes to copies and fills, for the stock passes that promote
// them.
#pragma once
#include "llvm/Passes/PassBuilder.h"

namespace pgokit::plugin {

// At the start of the pipeline, where calls are as in the source.
void add_use_passes(llvm::ModulePassManager& passes);

// Late in the simplification of a function, where stock pipelines of profiles have them.
void add_use_passes_of_functions(llvm::FunctionPassManager& passes);

// In the link of ThinLTO, where targets of other modules have been imported.
void add_use_passes_of_link(llvm::ModulePassManager& passes);

// After all other optimization.
void add_use_passes_of_end(llvm::ModulePassManager& passes);

}  // namespace pgokit::plugin
