#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/views/completion.h"

namespace pgokit::cli {
namespace {

// In single quotes, with a backslash before what means something to _arguments and _describe.
std::string zsh_quoted(std::string_view text, std::string_view special = "") {
  std::string result;
  for (char c : text) {
    if (c == '\'') {
      result += "'\\''";
      continue;
    }
    if (c == '\n') c = ' ';
    if (c == '\\' || special.contains(c)) result += '\\';
    result += c;
  }
  return result;
}

std::string action_of(const Option& option) {
  switch (value_kind(option)) {
    case ValueKind::choice:
      return fmt::format("({})", fmt::join(option.choices, " "));
    case ValueKind::file:
      return "_files";
    case ValueKind::folder:
      return "_files -/";
    case ValueKind::command:
      return "_cmdstring";
    default:
      return "";
  }
}

void add_option(std::string& text, const Option& option) {
  auto out = std::back_inserter(text);
  std::string name = zsh_quoted(is_positional(option) ? option.names : option.value, ":");
  std::string value = is_switch(option) ? "" : fmt::format(":{}:{}", name, action_of(option));
  if (is_positional(option)) {
    fmt::format_to(out, " \\\n        '{}{}'", is_list(option) ? "*" : "", value);
    return;
  }
  auto names = names_of(option);
  std::string help = zsh_quoted(option.help, "[]");
  for (auto one : names) {
    std::string others = is_list(option) ? "*" : fmt::format("({})", fmt::join(names, " "));
    bool is_long = one.starts_with("--");
    fmt::format_to(out, " \\\n        '{}{}{}[{}]{}'", others, one,
                   is_switch(option) ? ""
                   : is_long         ? "="
                                     : "+",
                   help, value);
  }
}

std::string function_of(const CommandText& command) {
  std::string name = "_" + command.name;
  for (char& c : name)
    if (c == ' ' || c == '-') c = '_';
  return name;
}

// Chooses among subcommands; the words of a chosen one begin with its name.
std::string choosing(const CommandText& command) {
  std::string text =
      fmt::format("{}() {{\n  local -a commands\n  commands=(\n", function_of(command));
  auto out = std::back_inserter(text);
  auto own_name = [&](const CommandText& one) { return one.name.substr(command.name.size() + 1); };
  for (const auto& one : command.subcommands)
    fmt::format_to(out, "    '{}:{}'\n", zsh_quoted(own_name(one), ":"), zsh_quoted(one.summary));
  text +=
      "  )\n  local context state state_descr line\n  typeset -A opt_args\n"
      "  _arguments -C '--help[print a summary]'";
  for (const auto* option : shown_options(command)) add_option(text, *option);
  text +=
      " \\\n        '1:command:->command' '*::argument:->argument'\n"
      "  case $state in\n    command) _describe command commands ;;\n    argument)\n"
      "      case $words[1] in\n";
  for (const auto& one : command.subcommands)
    fmt::format_to(out, "        {}) {} ;;\n", own_name(one), function_of(one));
  return text + "      esac ;;\n  esac\n}\n\n";
}

std::string arguments_of(const CommandText& command) {
  std::string text = fmt::format("{}() {{\n  _arguments '--help[print a summary and all options]'",
                                 function_of(command));
  for (const auto* option : shown_options(command)) add_option(text, *option);
  if (command.table.trailing) text += " \\\n        '*::command:_normal'";
  return text + "\n}\n\n";
}

}  // namespace

std::string zsh_completion(const CommandText& program) {
  std::string text = "#compdef pgokit\n# Completion for zsh, by 'pgokit completion zsh'.\n\n";
  for (const auto* command : all_commands(program))
    text += command->subcommands.empty() ? arguments_of(*command) : choosing(*command);
  return text +
         "if [[ $funcstack[1] == _pgokit ]]; then\n  _pgokit \"$@\"\nelse\n  compdef _pgokit "
         "pgokit\n"
         "fi\n";
}

}  // namespace pgokit::cli
