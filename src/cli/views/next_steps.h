#pragma once

// What can be done with a recording that was just made.

#include <string>
#include <vector>

#include "perf/windows.h"

namespace pgokit::cli {

enum class Recorded : unsigned char { branch_stacks, addresses, whole_run, contexts };

// Prints the commands that make profiles of the programs and libraries with most samples, and why
// there is none for the hottest. `command`: what was run; empty for a process that ran already.
// Of addresses alone they make estimates. `windows`: those that several programs have in common.
void print_next(const std::string& recording, const std::vector<std::string>& command,
                Recorded what, const perf::Windows& windows = {});

}  // namespace pgokit::cli
