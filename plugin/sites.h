// Which call in the source a site is: its number in its function, by which it is found without
// lines, and after inlining, renaming and LTO.
#pragma once
#include <cstdint>

#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Instruction.h"
#include "llvm/IR/Module.h"

namespace pgokit::plugin {

bool is_indirect_call(const llvm::Instruction& each);
bool has_unknown_size(const llvm::Instruction& each);  // copies and fills

// Indirect calls, and copies and fills of unknown size, are numbered each by themselves, from 1, in
// the order of the function's instructions at the start of the pipeline.
class SiteNumbers {
 public:
  uint32_t next(const llvm::Instruction& each);  // 0: it is neither

 private:
  uint32_t calls_ = 0, sizes_ = 0;
};

// Notes the number of each in the scope of its line, which optimization and code generation keep.
// Modules without lines get some that are in no object file, for the numbers alone.
void number_sites(llvm::Module& module);

// What was noted; 0: nothing, or that of two calls which became one.
uint32_t site_number(const llvm::DILocation& line);

}  // namespace pgokit::plugin
