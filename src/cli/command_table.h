#pragma once

// Commands as data, for what tells of all of them: man pages and completions.
//
//   CommandText text = text_of("pgokit", show_command);
//   for (const Option& option : text.table.options) use(option.names, option.help);
//
// The table is the one that run() hands to parse_options() before it does anything else: with
// table_of() it goes no further.

#include <string>
#include <string_view>
#include <vector>

#include "cli/command.h"
#include "cli/options.h"

namespace pgokit::cli {

struct CommandText {
  std::string name;  // "pgokit probes dump"
  std::string summary;
  OptionTable table;  // what its targets point to is gone
  std::vector<CommandText> subcommands;
};

// Of a command of subcommands it is empty.
OptionTable table_of(const Command& command);
// With all of its subcommands. `before` is what its name stands behind.
CommandText text_of(std::string_view before, const Command& command);

// A program or command itself, and all that is below it.
std::vector<const CommandText*> all_commands(const CommandText& program);

// For parse_options() and its like: true where nothing but the table is wanted.
bool takes_table(const OptionTable& table);

}  // namespace pgokit::cli
