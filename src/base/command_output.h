#pragma once

// What a command prints to standard output, for questions to other tools.
//
//   auto text = TRY(output_of_command({"clang", "--version"}));
//
// It is searched in PATH, has no standard input, and its complaints are not shown. An error where it
// cannot be started, is ended by a signal, exits with anything but 0, or prints more than 64 kB.

#include <string>
#include <vector>

#include "base/result.h"

namespace pgokit {

Result<std::string> output_of_command(const std::vector<std::string>& words);

}  // namespace pgokit
