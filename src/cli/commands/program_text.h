#pragma once

// The program as a whole: its list of commands, and all of them as data.
//
//   auto program = program_text();
//   for (const CommandText& command : program.subcommands) use(command.name, command.summary);

#include <cstdio>
#include <string>
#include <vector>

#include "cli/command_table.h"

namespace pgokit::cli {

CommandText program_text();
std::vector<std::string> command_names();
// `pgokit --help`
void print_usage(std::FILE* out);

}  // namespace pgokit::cli
