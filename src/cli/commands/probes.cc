// `pgokit probes SUBCOMMAND`: picks the subcommand.
#include <fmt/ranges.h>

#include <string>
#include <vector>

#include "cli/commands/commands.h"
#include "cli/commands/probes_commands.h"
#include "cli/suggest.h"
#include "report/print.h"

namespace pgokit::cli {
namespace {

void print_usage(std::FILE* out) {
  report::print(
      out,
      "Pseudo probes in programs, objects and assembly.\n\n"
      "usage: pgokit probes SUBCOMMAND [options]    (pgokit probes SUBCOMMAND --help tells "
      "more)\n\n");
  for (const auto* command : probes_commands)
    report::print(out, "  {:<14}{}\n", command->name, command->summary);
}

std::string suggestion(std::string_view name) {
  std::vector<std::string_view> names;
  for (const auto* command : probes_commands) names.push_back(command->name);
  if (auto meant = nearest(name, names); !meant.empty())
    return fmt::format("did you mean '{}'?", meant);
  return fmt::format("there are: {}", fmt::join(names, ", "));
}

int run(std::span<char* const> arguments) {
  if (arguments.empty()) return print_usage(stderr), 2;
  std::string_view name = arguments[0];
  if (name == "--help" || name == "-h" || name == "help") return print_usage(stdout), 0;
  for (const auto* command : probes_commands)
    if (command->name == name) return command->run(arguments.subspan(1));
  report::print(stderr, "pgokit probes: there is no subcommand '{}'; {}\n", name, suggestion(name));
  return 2;
}

}  // namespace

constexpr Command probes_command{"probes", "list, count, lower pseudo probes; show them in code",
                                 run, probes_commands};

}  // namespace pgokit::cli
