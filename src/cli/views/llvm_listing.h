#pragma once

// The listing of llvm-profgen --show-disassembly-only: the same lines (docs/llvm-profgen.md).

#include <string>
#include <vector>

#include "isa/formatter.h"
#include "program/program.h"

namespace pgokit::cli {

struct LlvmListing {
  bool probes = false, locations = false, canonical_names = false;
  isa::Syntax syntax = isa::Syntax::att;  // of x86-64
  std::vector<std::string> functions;     // empty: all
};

// llvm-profgen 22 takes ELF and COFF.
Status check_format(const program::Program& program);

// Prints to standard output.
Status print_llvm_listing(const std::string& path, const program::ProgramOptions& program,
                          const LlvmListing& options);

}  // namespace pgokit::cli
