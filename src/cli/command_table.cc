#include "cli/command_table.h"

#include <fmt/format.h>

#include <utility>

namespace pgokit::cli {
namespace {

OptionTable* wanted = nullptr;

void add_commands(std::vector<const CommandText*>& list, const CommandText& command) {
  list.push_back(&command);
  for (const auto& one : command.subcommands) add_commands(list, one);
}

}  // namespace

bool takes_table(const OptionTable& table) {
  if (!wanted) return false;
  *wanted = table;
  return true;
}

OptionTable table_of(const Command& command) {
  OptionTable table;
  if (!command.subcommands.empty()) return table;
  wanted = &table;
  command.run({});
  wanted = nullptr;
  return table;
}

CommandText text_of(std::string_view before, const Command& command) {
  CommandText text{.name = fmt::format("{} {}", before, command.name),
                   .summary = std::string(command.summary),
                   .table = table_of(command),
                   .subcommands = {}};
  for (const auto* subcommand : command.subcommands)
    text.subcommands.push_back(text_of(text.name, *subcommand));
  return text;
}

std::vector<const CommandText*> all_commands(const CommandText& program) {
  std::vector<const CommandText*> list;
  add_commands(list, program);
  return list;
}

}  // namespace pgokit::cli
