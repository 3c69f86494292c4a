#pragma once

// What the compiler tells of each function of a program: by the remarks of the build, and by the
// block map in the program.
//
//   Compiled compiled;
//   TRY(compiled.add_block_map(program_file, symbols));
//   TRY(compiled.add_remarks(remarks_file));
//   if (const CompiledFunction* f = compiled.find("main")) use(f->applied, f->entry_count);

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "object/file.h"

namespace pgokit::analysis {

struct CompiledFunction {
  bool in_remarks = false, in_block_map = false;
  bool inlined_elsewhere = false;  // by remarks: into a caller

  // By remarks.
  u64 applied = 0;                   // samples that clang put on its code, inlined code too
  u32 inlined = 0, not_inlined = 0;  // calls in it of functions that have a definition
  u32 promoted = 0;                  // indirect calls that became direct ones
  u32 vectorized = 0, unrolled = 0;  // loops

  // By the block map.
  u64 entry_count = 0;  // as clang held it
  u32 blocks = 0, ranges = 0;
  bool reordered = false;  // blocks are not in the order in which they were made
};

class Compiled {
 public:
  // Of a program without a map nothing is added.
  Status add_block_map(const object::File& file, const std::vector<object::Symbol>& symbols);
  Status add_remarks(Bytes file);

  const CompiledFunction* find(std::string_view name) const;
  const std::unordered_map<std::string, CompiledFunction>& functions() const { return functions_; }

  bool has_remarks() const { return remarks_ > 0; }
  bool has_block_map() const { return mapped_ > 0; }
  bool has_entry_counts() const { return has_entry_counts_; }  // clang was asked for them
  u64 remarks() const { return remarks_; }
  u64 applied() const { return applied_; }    // samples, by remarks
  u64 believed() const { return believed_; }  // functions with an entry count, by the block map

 private:
  std::unordered_map<std::string, CompiledFunction> functions_;
  u64 remarks_ = 0, applied_ = 0, mapped_ = 0, believed_ = 0;
  bool has_entry_counts_ = false;
};

}  // namespace pgokit::analysis
