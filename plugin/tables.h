// Tables of functions that calls go through, in C++ those of classes: what the stock pass of
// indirect calls has to know of them to compare tables instead of the functions in them.
#pragma once
#include <cstdint>

#include "llvm/IR/Function.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"
#include "use_file.h"

namespace pgokit::plugin {

// Whether what is in it never changes and has functions.
bool is_table(const llvm::GlobalVariable& variable);

// Keeps the file of local tables, "FILE;NAME", by which they are known after LTO too.
void note_tables(llvm::Module& module);
std::string source_name(const llvm::GlobalVariable& table);

// The stock pass finds calls through tables by type tests, which clang writes for -flto
// -fwhole-program-vtables alone, and for classes that are hidden. Others get some of our own, which
// are there for no other pass: `remove_tests` takes them away.
class TableUses {
 public:
  explicit TableUses(llvm::Module& module) : module_(module) {}

  // False: the call goes through no table, or none of them is in the module.
  bool attach(llvm::CallBase& call, const CallTargets& known);

 private:
  llvm::Module& module_;
  uint32_t tests_ = 0;
};

void remove_tests(llvm::Module& module);

}  // namespace pgokit::plugin
