#pragma once

// llvm-profdata merge without --sample: instrumentation profiles, the same bytes and messages.

#include "instr_profile/memory/memory_sum.h"
#include "pipeline/input_files.h"
#include "transform/supplement.h"

namespace pgokit::cli {

struct MergeInstr {
  std::string output;
  bool text = false, sparse = false;
  std::string failure_mode;
  std::string function, no_function;
  std::string remapping;                // a file, see symbol_remapping.h
  std::string debug_info, binary_file;  // of the program; one of them at most
  u64 correlation_warnings = 5;         // 0: all
  std::string memory_program;           // of raw memory profiles
  instr_profile::MemoryFormWanted memory_form = {};
  std::string supplement;  // a sample profile
  transform::SupplementOptions supplementing = {};
  u64 threads = 0, most_traces = 100, longest_trace = 10000;
};

Status merge_instr_as_llvm(const pipeline::Inputs& inputs, const MergeInstr& options);

}  // namespace pgokit::cli
