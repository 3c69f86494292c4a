#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/views/completion.h"

namespace pgokit::cli {
namespace {

// Words NAME=WHAT say what is behind an option, "=WHAT" what positionals are, "--=WHAT" what is
// behind "--"; WHAT is file, folder, command, none, or words with bars between them; what is behind
// a word that ends with = is a file.
constexpr std::string_view function = R"sh(
_pgokit() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
  local command= specs= spec name names= what= behind= i assigned=
  # bash makes three words of --option=value
  if [[ $word == "=" ]]; then
    word= assigned=$before=
  elif [[ $before == "=" ]]; then
    before=${COMP_WORDS[COMP_CWORD - 2]} assigned=$before=
  fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    _pgokit_specs "${command:+$command }${COMP_WORDS[i]}"
    [[ $specs ]] || break
    command=${command:+$command }${COMP_WORDS[i]}
  done
  for ((; i < COMP_CWORD; i++)); do
    [[ ${COMP_WORDS[i]} == "--" ]] && behind=1
  done
  _pgokit_specs "$command"
  for spec in $specs; do
    name=${spec%%=*}
    if [[ $behind ]]; then
      [[ $name == "--" ]] && what=${spec#*=}
    elif [[ $name && $name == "$before" && $spec == *=* ]]; then
      what=${spec#*=}
      break
    elif [[ $word == -* ]]; then
      names+=" $name"
    elif [[ $spec == =* ]]; then
      what=${spec#=}
    fi
  done
  [[ $assigned && "|$what|" == *"|$assigned|"* ]] && what=file
  COMPREPLY=()
  case $what in
    file) compopt -o default ;;
    folder) compopt -o dirnames ;;
    command) mapfile -t COMPREPLY < <(compgen -c -- "$word") ;;
    none) ;;
    *)
      mapfile -t COMPREPLY < <(compgen -W "${what//|/ }$names" -- "$word")
      [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *= ]] && compopt -o nospace
      ;;
  esac
}

complete -F _pgokit pgokit
)sh";

std::string what_of(const Option& option) {
  switch (value_kind(option)) {
    case ValueKind::choice:
      return fmt::format("{}", fmt::join(option.choices, "|"));
    case ValueKind::file:
      return "file";
    case ValueKind::folder:
      return "folder";
    case ValueKind::command:
      return "command";
    default:
      return "none";
  }
}

std::string specs_of(const CommandText& command) {
  std::string specs;
  auto add = [&](std::string_view spec) {
    specs += (specs.empty() ? "" : " ") + std::string(spec);
  };
  std::vector<std::string_view> names;
  for (const auto& one : command.subcommands)
    names.push_back(std::string_view(one.name).substr(command.name.size() + 1));
  if (!names.empty()) add(fmt::format("={}", fmt::join(names, "|")));
  for (const auto* option : shown_options(command)) {
    if (is_positional(*option)) add("=" + what_of(*option));
    for (auto name : names_of(*option))
      add(is_switch(*option) ? std::string(name) : fmt::format("{}={}", name, what_of(*option)));
  }
  if (command.table.trailing) add("--=command");
  add("--help");
  return specs;
}

}  // namespace

std::string bash_completion(const CommandText& program) {
  std::string text =
      "# Completion for bash, by 'pgokit completion bash'.\n_pgokit_specs() {\n  case $1 in\n";
  for (const auto* command : all_commands(program))
    fmt::format_to(std::back_inserter(text), "    '{}') specs='{}' ;;\n",
                   command_words(*command, program), specs_of(*command));
  text += "    *) specs= ;;\n  esac\n}\n";
  return text + std::string(function);
}

}  // namespace pgokit::cli
