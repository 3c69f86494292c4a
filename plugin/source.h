// What a function is in the source: its name, with the file if other files may have one of that
// name, and a checksum of its control flow. Both are the same in the build that is measured and in
// the one that uses the result, so they are taken at the start of the pipeline.
#pragma once
#include <optional>
#include <string>
#include <utility>

#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Function.h"

namespace pgokit::plugin {

// "FILE;NAME" of a local function, as in LLVM's profiles; else the name.
std::string source_name(const llvm::Function& function);
std::string name_with_file(const llvm::Function& function);  // as if it were local
std::string source_name(const llvm::DISubprogram& function);
// The file, which is empty if there is none, and the name.
std::pair<llvm::StringRef, llvm::StringRef> split_source_name(llvm::StringRef name);

// Of blocks, their successors, their calls and sites.
uint64_t checksum_of(const llvm::Function& function);

// Calls that values may be recorded of: those that sites.h numbers.
bool has_sites(const llvm::Function& function);

// Functions keep their checksum, and local ones their name. Where values are recorded, those with
// sites also leave both in the module, and where blocks are, all do. They may be inlined, renamed
// or moved to other modules before code is generated.
void note_sources(llvm::Module& module, uint32_t kinds);
std::string noted_name(const llvm::Function& function);  // empty: it is the symbol's
std::optional<uint64_t> noted_checksum(const llvm::Function& function);

struct NotedSource {
  llvm::StringRef name;
  uint64_t checksum = 0;
  bool has_sites = false;
};
// Those of this module; of others only what linking left without a module of its own.
llvm::SmallVector<NotedSource, 0> noted_sources(const llvm::Module& module);

}  // namespace pgokit::plugin
