#pragma once

// The functions of a program that was built with -profile-correlate=debug-info (they are in its
// debug information) or =binary (in sections that are not loaded).
//
//   auto correlation = TRY(correlate_by_debug_info(program, warnings));
//   merge_files(inputs, {.correlation = &correlation});
//
// The program's file must outlive the result.
// Source of truth: llvm/lib/ProfileData/InstrProfCorrelator.cpp.

#include "instr_profile/model/correlation.h"
#include "object/file.h"

namespace pgokit::instr_profile {

// What is strange about single functions, without line ends; of more than `most` (0: no limit) only
// their number.
struct CorrelationWarnings {
  u64 most = 5;
  std::vector<std::string> texts = {};
  u64 suppressed = 0;

  void add(std::string text);
};

// In debug information a variable in each function stands for its counters:
//
//   DW_TAG_variable __profc_main, at the address of the counters
//     DW_TAG_LLVM_annotation "Function Name", "CFG Hash", "Num Counters"
Result<Correlation> correlate_by_debug_info(const object::File& program,
                                            CorrelationWarnings& warnings);

// The sections __llvm_covdata and __llvm_covnames have what __llvm_prf_data and __llvm_prf_names
// have in other programs.
Result<Correlation> correlate_by_sections(const object::File& program,
                                          CorrelationWarnings& warnings);

}  // namespace pgokit::instr_profile
