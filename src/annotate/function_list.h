#pragma once

// The functions of a program or profile with what is known of how often they ran, the hottest
// first: one shape for tables on terminals and on pages.
//
//   FunctionList list = list_functions(program, counts, samples);      // of a recording
//   FunctionList same = list_functions(profile);                       // of a profile
//   for (const ListedFunction& one : list.functions) use(one.name, one.samples);

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "annotate/code_counts.h"
#include "annotate/sample_counts.h"
#include "profile/model/profile.h"

namespace pgokit::annotate {

struct ListedFunction {
  std::string name = {};             // linkage name; digits of one that is hashed
  std::optional<u32> function = {};  // of the program's FunctionTable
  u64 samples = 0;                   // of a recording: taken in it; of a profile: its total
  u64 instructions = 0;              // executed
  u64 entries = 0, hottest = 0;      // hottest: of one instruction or place
  u64 bytes = 0, ran_bytes = 0;      // of its code
};

struct FunctionList {
  bool of_profile = false;
  bool has_samples = false;           // else they are not known, and instructions order the list
  u64 samples = 0, instructions = 0;  // of all
  std::vector<ListedFunction> functions = {};

  u64 weight(const ListedFunction& one) const {
    return has_samples ? one.samples : one.instructions;
  }
  u64 all() const { return has_samples ? samples : instructions; }
};

// `samples`: null where they tell nothing. The functions that ran.
FunctionList list_functions(const program::Program& program, const CodeCounts& counts,
                            const FunctionSamples* samples);
// Contexts of one function are added up.
FunctionList list_functions(const profile::Profile& profile);

}  // namespace pgokit::annotate
