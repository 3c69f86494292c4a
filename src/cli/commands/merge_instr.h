#pragma once

// LLVM's instrumentation profiles add up to one: the part of `pgokit merge` for them.

#include <optional>

#include "pipeline/input_files.h"

namespace pgokit::cli {

struct MergeInstr {
  std::string output;
  std::string format;  // "indexed" or "text"; empty: by the name of the output
  std::string function, no_function;
  bool strict = false;
  bool quiet = false;
  unsigned threads = 0;
};

// Whether one of the inputs that can be opened is one.
bool are_instr_profiles(const pipeline::Inputs& inputs);

// The exit code: 0, or 3 where inputs were left out.
Result<int> merge_instr(const pipeline::Inputs& inputs, const MergeInstr& options);

}  // namespace pgokit::cli
