#pragma once

// The program to make a profile of, where the user names none.
//
//   options.binary = TRY(dominant_program(options.inputs, options.threads));

#include <string>
#include <vector>

#include "base/result.h"

namespace pgokit::cli {

// A file of the program that most samples of the recordings are in, and of the build that they
// tell: where it was when it ran, beside the recording, in the current folder, or in perf's cache
// (~/.debug). An error where no such file is found, and for input that does not tell programs.
Result<std::string> dominant_program(const std::vector<std::string>& recordings, unsigned threads);

}  // namespace pgokit::cli
