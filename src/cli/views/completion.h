#pragma once

// Completions for shells: scripts that know all commands, options and closed sets of values, so that
// a Tab runs nothing.
//
//   for (const Shell& shell : shells) use(shell.name, shell.completion(program));

#include <string>
#include <string_view>
#include <vector>

#include "cli/command_table.h"

namespace pgokit::cli {

// What a value is completed by.
enum class ValueKind : unsigned char { nothing, choice, file, folder, command };
ValueKind value_kind(const Option& option);

// All of the options and positionals that --help shows.
std::vector<const Option*> shown_options(const CommandText& command);
// "probes dump": a command without the program's name.
std::string_view command_words(const CommandText& command, const CommandText& program);

std::string bash_completion(const CommandText& program);
std::string zsh_completion(const CommandText& program);
std::string fish_completion(const CommandText& program);

struct Shell {
  std::string_view name, how;  // how its users install a script, for --help
  std::string (*completion)(const CommandText& program);
};

inline constexpr Shell shells[] = {
    {"bash", "pgokit completion bash > ~/.local/share/bash-completion/completions/pgokit",
     bash_completion},
    {"zsh", "pgokit completion zsh > FOLDER/_pgokit, with FOLDER in $fpath", zsh_completion},
    {"fish", "pgokit completion fish > ~/.config/fish/completions/pgokit.fish", fish_completion}};

}  // namespace pgokit::cli
