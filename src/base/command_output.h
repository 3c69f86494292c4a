#pragma once

// What a short command prints to both its streams, for questions to other tools.
//
//   auto text = TRY(output_of_command({"clang", "--version"}));
//
// It is searched in PATH, and has no standard input. An error where it cannot be started, is ended by
// a signal, prints more than a megabyte, or exits with anything but 0: the line that says why, or the
// last one.

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace pgokit {

Result<std::string> output_of_command(const std::vector<std::string>& words);

// " (oops)", of what a command printed last; empty: nothing.
std::string last_words(std::string_view text);

}  // namespace pgokit
