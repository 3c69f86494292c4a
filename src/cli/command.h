#pragma once

// One subcommand: its own file in cli/commands, and a line in the list in commands/main.cc.

#include <span>
#include <string_view>

#include "base/result.h"

namespace pgokit::cli {

struct Command {
  std::string_view name;
  std::string_view summary;                      // one line, for pgokit --help
  int (*run)(std::span<char* const> arguments);  // those behind the name; returns the exit code
  std::span<const Command* const> subcommands = {};
};

// Prints `pgokit NAME: message` and gives the exit code: 1, or 2 for wrong usage.
int report_failure(std::string_view command, const Error& error);

}  // namespace pgokit::cli
