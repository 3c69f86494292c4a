#pragma once

// What can be done with a recording that was just made.

#include <string>
#include <vector>

namespace pgokit::cli {

enum class Recorded : unsigned char { branch_stacks, addresses, whole_run, contexts };

// Prints the commands that make profiles of the programs and libraries with most samples, and why
// there is none for the hottest. `command`: what was run; empty for a process that ran already.
// Of addresses alone they make estimates.
void print_next(const std::string& recording, const std::vector<std::string>& command,
                Recorded what);

}  // namespace pgokit::cli
