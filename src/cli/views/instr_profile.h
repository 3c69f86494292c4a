#pragma once

// What `pgokit show` tells about an instrumentation profile of clang.

#include <string>

#include "base/result.h"
#include "base/types.h"

namespace pgokit::cli {

struct ShowInstr {
  std::string function;  // linkage name, demangled, or part of it; empty: the whole
  u64 top = 10;          // that many of the functions with the largest counts; 0: all
  bool mangled = false, json = false;
};

Status show_instr_profile(std::string_view path, Bytes file, const ShowInstr& options);

}  // namespace pgokit::cli
