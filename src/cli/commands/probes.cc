// `pgokit probes SUBCOMMAND`: picks the subcommand.
#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "cli/commands/commands.h"
#include "cli/commands/probes_commands.h"
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

// Letters to add, drop or change that make one word the other.
size_t distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0]++;
    for (size_t j = 1; j <= b.size(); ++j) {
      size_t changed = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({changed, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

std::string suggestion(std::string_view name) {
  auto is_near = [&](const Command* command) {
    return distance(name.substr(0, 32), command->name) <= command->name.size() / 2 ||
           (name.size() >= 2 && command->name.starts_with(name));
  };
  std::string list;
  for (const auto* command : probes_commands)
    if (is_near(command)) list += fmt::format("{}'{}'", list.empty() ? "" : " or ", command->name);
  if (!list.empty()) return "did you mean " + list + "?";
  for (const auto* command : probes_commands)
    list += fmt::format("{}{}", list.empty() ? "" : ", ", command->name);
  return "there are: " + list;
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
