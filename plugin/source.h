// What a function is in the source: its name, with the file if other files may have one of that
// name, and a checksum of its control flow. Both are the same in the build that is measured and in
// the one that uses the result, so they are taken at the start of the pipeline.
#pragma once
#include <string>

#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Function.h"

namespace pgokit::plugin {

// "FILE;NAME" of a local function, as in LLVM's profiles; else the name.
std::string source_name(const llvm::Function& function);
std::string name_with_file(const llvm::Function& function);  // as if it were local
std::string source_name(const llvm::DISubprogram& function);

// Of blocks, their successors, their calls and sites.
uint64_t checksum_of(const llvm::Function& function);

// Calls that values may be recorded of: those that sites.h numbers.
bool has_sites(const llvm::Function& function);

// Functions with sites leave name and checksum in the module, local ones keep their name:
// both may be inlined, renamed or moved to other modules before code is generated.
void note_sources(llvm::Module& module);
std::string noted_name(const llvm::Function& function);  // empty: it is the symbol's

struct NotedSource {
  llvm::StringRef name;
  uint64_t checksum = 0;
};
// Those of this module; of others only what linking left without a module of its own.
llvm::SmallVector<NotedSource, 0> noted_sources(const llvm::Module& module);

}  // namespace pgokit::plugin
