// llvm-profdata 22.
#include "cli/commands/commands.h"
#include "cli/llvm/llvm_options.h"
#include "cli/llvm/profdata.h"
#include "report/print.h"

namespace pgokit::cli {
namespace {

void print_usage(std::FILE* out) {
  report::print(out,
                "llvm-profdata: profiles, with the options of llvm-profdata 22\n\n"
                "usage: pgokit llvm-profdata COMMAND [--sample] [options] FILE...\n\n");
  for (const auto* command : profdata_commands)
    report::print(out, "  {:<14}{}\n", command->name, command->summary);
}

int run(std::span<char* const> arguments) {
  report::keep_bytes_in_pipes();
  if (arguments.empty()) {
    report::print(stderr,
                  "llvm-profdata: No subcommand specified! Run llvm-profdata --help for usage.\n");
    return 1;
  }
  std::string_view name = arguments[0];
  if (name == "--help" || name == "-help" || name == "-h") return print_usage(stdout), 0;
  if (name == "--version" || name == "-version") return print_llvm_version(), 0;
  for (const auto* command : profdata_commands)
    if (command->name == name) return command->run(arguments.subspan(1));
  report::print(stderr, "llvm-profdata: Unknown subcommand '{}'.  Try: 'llvm-profdata --help'\n",
                name);
  return 1;
}

}  // namespace

int report_llvm_error(const Error& error) {
  report::print(stderr, "error: {}\n", error.message);
  return 1;
}

constexpr Command llvm_profdata_command{
    "llvm-profdata", "profiles, with the options of llvm-profdata", run, profdata_commands};

}  // namespace pgokit::cli
