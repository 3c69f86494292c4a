#pragma once

// What `llvm-profdata show` prints of an instrumentation profile, byte for byte.
//
//   TRY(dump_instr(bytes, {.all_functions = true, .counts = true}, take));
//
// Source of truth: llvm/tools/llvm-profdata, by experiment.

#include <string>
#include <vector>

#include "base/result.h"
#include "report/text_buffer.h"

namespace pgokit::cli {

struct InstrDump {
  bool all_functions = false, counts = false, context_sensitive = false;
  bool call_targets = false, vtables = false, memop_sizes = false;
  bool text = false, covered = false, only_below = false;
  bool detailed_summary = false, binary_ids = false, version = false, traces = false;
  std::string function;  // in the names of functions that are shown; empty: none
  u64 value_cutoff = 0;  // functions without a larger count are not shown
  u64 top = 0;
  std::vector<u32> cutoffs;  // of the detailed summary; empty: the usual ones
};

// Nothing is handed over before the file has been read to its end.
Status dump_instr(Bytes bytes, const InstrDump& options, const report::TakeText& take);

}  // namespace pgokit::cli
