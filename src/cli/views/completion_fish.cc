#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/views/completion.h"

namespace pgokit::cli {
namespace {

constexpr std::string_view functions = R"sh(# Completion for fish, by 'pgokit completion fish'.
# The command line is one of this command: __pgokit_in probes dump
function __pgokit_in
  set -l words (commandline -opc)
  set -l last (math (count $argv) + 1)
  test (count $words) -ge $last
  and test "$words[2..$last]" = "$argv"
end
# ... and its subcommand is still to be named.
function __pgokit_before
  set -l words (commandline -opc)
  test (count $words) -eq (math (count $argv) + 1)
  and test (count $argv) -eq 0 -o "$words[2..]" = "$argv"
end

complete -c pgokit -f
)sh";

std::string fish_quoted(std::string_view text) {
  std::string result = "'";
  for (char c : text) {
    if (c == '\'' || c == '\\') result += '\\';
    result += c == '\n' ? ' ' : c;
  }
  return result + "'";
}

std::string value_of(const Option& option) {
  switch (value_kind(option)) {
    case ValueKind::choice:
      return fmt::format(" -xa {}", fish_quoted(fmt::format("{}", fmt::join(option.choices, " "))));
    case ValueKind::file:
      return " -rF";
    case ValueKind::folder:
      return " -xa '(__fish_complete_directories)'";
    case ValueKind::command:
      return " -xa '(__fish_complete_command)'";
    default:
      return " -x";
  }
}

void add_option(std::string& text, std::string_view where, const Option& option) {
  fmt::format_to(std::back_inserter(text), "complete -c pgokit -n '{}'", where);
  if (is_positional(option)) {
    bool file = value_kind(option) == ValueKind::file;
    text += file ? " -F\n"
                 : fmt::format(" -a {}\n",
                               fish_quoted(fmt::format("{}", fmt::join(option.choices, " "))));
    return;
  }
  for (auto name : names_of(option))
    text += name.starts_with("--")
                ? fmt::format(" -l {}", name.substr(2))
                : fmt::format(" -{} {}", name.size() == 2 ? "s" : "o", name.substr(1));
  if (!is_switch(option)) text += value_of(option);
  text += " -d " + fish_quoted(option.help) + "\n";
}

}  // namespace

std::string fish_completion(const CommandText& program) {
  std::string text(functions);
  auto out = std::back_inserter(text);
  for (const auto* command : all_commands(program)) {
    std::string_view words = command_words(*command, program);
    auto before = fmt::format("__pgokit_before{}{}", words.empty() ? "" : " ", words);
    auto in = fmt::format("__pgokit_in{}{}", words.empty() ? "" : " ", words);
    for (const auto& one : command->subcommands)
      fmt::format_to(out, "complete -c pgokit -n '{}' -a {} -d {}\n", before,
                     one.name.substr(command->name.size() + 1), fish_quoted(one.summary));
    for (const auto* option : shown_options(*command)) add_option(text, in, *option);
    if (command->table.trailing)
      fmt::format_to(out, "complete -c pgokit -n '{}' -a '(__fish_complete_subcommand)' -F\n", in);
  }
  return text + "complete -c pgokit -l help -d 'print a summary and all options'\n";
}

}  // namespace pgokit::cli
