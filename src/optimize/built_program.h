#pragma once

// Which of the programs in a recording is the one to be optimized.
//
//   auto built = TRY(built_programs(".pgokit/app.perf", ".pgokit/plain/compile", "make"));
//   use(built[0].file);

#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "compilers/flags.h"

namespace pgokit::optimize {

struct BuiltProgram {
  std::string file;  // a path from the current folder where it is in it
  double share = 0;  // of the samples in what the build made
};

// Those that have been made since `marker` was written, by `build`, the one with most samples first.
// An error, with the reason, where there is none.
Result<std::vector<BuiltProgram>> built_programs(const std::string& recording,
                                                 const std::string& marker,
                                                 const std::string& build);

// Where a training run was.
struct RunShares {
  double program = 1;                                // of all: in the program
  std::vector<std::pair<std::string, double>> rest;  // most of the rest, the largest first
};
RunShares run_shares(const std::string& recording, const std::string& program);

// The names of the source files that it is compiled from, without folders, sorted.
Result<std::vector<std::string>> sources_of(const std::string& program);

// With which the next build of it says what the compiler made of a profile: none of compilers that
// do not know them.
Result<compilers::Flags> telling_options(const std::string& program);

// That clang built it, with the options that a profile needs.
Status check_program(const std::string& program);

}  // namespace pgokit::optimize
