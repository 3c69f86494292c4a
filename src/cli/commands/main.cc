#include <cstdio>
#include <cstring>
#include <vector>

#include "base/free_memory.h"
#include "base/version.h"
#include "cli/command.h"
#include "cli/commands/commands.h"
#include "cli/commands/program_text.h"
#include "cli/process.h"
#include "cli/suggest.h"
#include "report/print.h"

using namespace pgokit;

namespace {

int run(std::string_view program, std::span<char* const> arguments) {
  // By symlink under the name of a tool that it stands in for it is that tool.
  for (const auto* tool :
       {&cli::llvm_profgen_command, &cli::llvm_profdata_command, &cli::perf2bolt_command,
        &cli::create_llvm_prof_command, &cli::generate_propeller_profiles_command,
        &cli::create_gcov_command, &cli::profile_merger_command, &cli::cargo_pgokit_command})
    if (program == tool->name) return tool->run(arguments);
  if (arguments.empty()) return cli::print_usage(stderr), 2;
  std::string_view name = arguments[0];
  if (name == "--help" || name == "-h") return cli::print_usage(stdout), 0;
  if (name == "--version") return report::print("pgokit {}\n", version), 0;
  for (const auto* command : cli::commands)
    if (command->name == name) return command->run(arguments.subspan(1));
  std::vector<std::string_view> names;
  for (const auto* command : cli::commands) names.push_back(command->name);
  auto meant = cli::nearest(name, names);
  report::print(stderr, "pgokit: there is no command '{}'{}\nRun 'pgokit --help' for the list.\n",
                name, meant.empty() ? "" : fmt::format("; did you mean '{}'?", meant));
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  always_return_large_tables();
  cli::prepare_process();
  std::string_view program = argc > 0 ? argv[0] : "";
  program = program.substr(program.rfind('/') + 1);
  return report::finish_output(
      run(program, {argv + 1, static_cast<size_t>(argc > 0 ? argc - 1 : 0)}));
}
