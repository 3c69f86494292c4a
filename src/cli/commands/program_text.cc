#include "cli/commands/program_text.h"

#include "cli/commands/commands.h"
#include "cli/compilers.h"
#include "report/print.h"

namespace pgokit::cli {
namespace {

constexpr const char* summary = "from a running program to a faster binary";

}  // namespace

CommandText program_text() {
  CommandText program{
      .name = "pgokit",
      .summary = summary,
      .table = {.command = "pgokit",
                .summary = "",
                .options = {{"--version", "", "print the version", static_cast<bool*>(nullptr)}},
                .footer = fmt::format("the road:\n{}", road_in_commands)},
      .subcommands = {}};
  for (const auto* command : commands)
    program.subcommands.push_back(text_of(program.name, *command));
  return program;
}

std::vector<std::string> command_names() {
  std::vector<std::string> names;
  for (const auto* command : commands) names.emplace_back(command->name);
  return names;
}

void print_usage(std::FILE* out) {
  report::print(out,
                "pgokit: {}\n\n"
                "usage: pgokit COMMAND [options]    (pgokit COMMAND --help tells more)\n\n",
                summary);
  constexpr size_t column = 14;
  for (const auto* command : commands)
    report::print(out, "  {:<14}{}{}\n", command->name,
                  command->name.size() < column ? "" : "\n                ", command->summary);
  report::print(out, "\n  {:<14}print the version\n\nthe road:\n{}", "--version",
                report::lines(road_in_commands));
}

}  // namespace pgokit::cli
