#pragma once

// Adds up files of instrumentation profiles of any form, one after the other.
//
//   auto merged = TRY(merge_files(inputs, {.rules = Rules::llvm}));
//   for (const auto& input : merged.inputs)
//     if (!input.error.empty()) warn(input.error);
//
// An input is read from end to end before any of it is added, so that a broken one is left out
// whole. Files of one program are added in batches, on all cores.

#include <string>
#include <vector>

#include "instr_profile/memory/memory_sum.h"
#include "instr_profile/merge/sum.h"
#include "instr_profile/merge/traces.h"

namespace pgokit::instr_profile {

struct MergeInput {
  std::string path;
  u64 weight = 1;
};

struct MergeOptions {
  Rules rules = Rules::commutative;
  TraceLimits traces = {};
  bool as_llvm = false;  // see Facts
  // Of the program whose raw files these are.
  const Correlation* correlation = nullptr;
  // What a function is called in the sum; the text must stay.
  std::function<std::string_view(std::string_view)> rename = {};
  // The program that raw memory profiles are of; without it they are refused.
  std::string memory_program = {};
  MemoryFormWanted memory_form = {};
  unsigned threads = 0;
  // Of each function of each input that does not go together with what was added before, once.
  std::function<void(const MergeInput&, Mismatch, std::string_view function)> mismatch = {};
};

struct MergedInput {
  std::string error;        // with the path in front; it was left out
  std::string warning;      // ...; it was added
  bool other_kind = false;  // that is why: its counters are of another kind than the others'
  std::string note;         // ...; not all of it, as llvm-profdata does by its rules
  bool empty = false;       // a file without a byte, as a process that was killed leaves it
};

struct MergedFiles {
  Profile profile;
  std::vector<MergedInput> inputs;  // in the order of the inputs

  size_t used() const;
};

// Fails where memory profiles that were added cannot be written.
Result<MergedFiles> merge_files(std::span<const MergeInput> inputs, const MergeOptions& options);

}  // namespace pgokit::instr_profile
