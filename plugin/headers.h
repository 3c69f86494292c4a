// Assembly text of what the plugin adds to a module, beside what its functions have.
#pragma once
#include <cstdint>
#include <string>

#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

namespace pgokit::plugin {

// Both headers, and the buffers of edges and logs: once per linked program, whichever module comes
// first. Checksums of the module's functions in the source, and its tables of functions.
std::string headers_text(const llvm::Module& module, const llvm::TargetMachine& machine,
                         uint32_t kinds);

}  // namespace pgokit::plugin
