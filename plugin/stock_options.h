// Options of LLVM's own passes, which have no other way to be told.
#pragma once
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/PassManager.h"

namespace pgokit::plugin {

// Unless the command line has it.
void set_stock_option(llvm::StringRef name, bool value);

// The optimizer makes one call of equal ones at the ends of several blocks, such as those of a switch:
// it would then have the targets of all, and none could be told to belong to a call of the source.
void keep_calls_apart();

// The same in a link with LTO, where a module has values recorded.
struct KeepCallsApart : llvm::PassInfoMixin<KeepCallsApart> {
  static bool isRequired() { return true; }
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses);
};

}  // namespace pgokit::plugin
