#include "cli/views/completion.h"

#include <algorithm>

#include "cli/commands/commands.h"
#include "cli/commands/program_text.h"
#include "cli/options.h"
#include "report/print.h"

namespace pgokit::cli {
namespace {

int run(std::span<char* const> arguments) {
  std::string name, footer = "\nexamples:\n";
  std::vector<std::string> names;
  for (const auto& shell : shells) {
    names.emplace_back(shell.name);
    footer += fmt::format("  {}\n", shell.how);
  }
  OptionTable table{"pgokit completion",
                    "Print a script that completes pgokit's commands and options in a shell.",
                    {one_of({"SHELL", "", "{}", &name, true}, names, First::is_like_the_others)},
                    footer};
  if (auto exit = parse_options(table, arguments)) return *exit;
  const auto* shell = std::ranges::find(shells, name, &Shell::name);
  if (shell == std::end(shells))
    return report_failure("completion",
                          {fmt::format("there is no '{}': {}", name, table.options[0].help), 2});
  report::print("{}", report::lines(shell->completion(program_text())));
  return 0;
}

}  // namespace

constexpr Command completion_command{"completion", "print completions for bash, zsh or fish", run};

}  // namespace pgokit::cli
