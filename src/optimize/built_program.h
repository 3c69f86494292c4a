#pragma once

// Which of the programs in a recording is the one to be optimized.
//
//   auto file = TRY(built_program(".pgokit/app.perf", ".pgokit/plain/compile", "make"));

#include <string>
#include <vector>

#include "base/result.h"
#include "compilers/flags.h"

namespace pgokit::optimize {

// The one with most samples of those that have been made since `marker` was written, by `build`. A
// path from the current folder where it is in it. An error, with the reason, where there is none.
Result<std::string> built_program(const std::string& recording, const std::string& marker,
                                  const std::string& build);

// The names of the source files that it is compiled from, without folders, sorted.
Result<std::vector<std::string>> sources_of(const std::string& program);

// With which the next build of it says what the compiler made of a profile: none of compilers that
// do not know them.
Result<compilers::Flags> telling_options(const std::string& program);

// That clang built it, with the options that a profile needs.
Status check_program(const std::string& program);

}  // namespace pgokit::optimize
