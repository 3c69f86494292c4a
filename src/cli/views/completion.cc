#include "cli/views/completion.h"

#include <algorithm>

namespace pgokit::cli {

ValueKind value_kind(const Option& option) {
  if (is_switch(option)) return ValueKind::nothing;
  if (!option.choices.empty()) return ValueKind::choice;
  if (is_positional(option)) return ValueKind::file;
  std::string_view value = option.value;
  for (std::string_view name :
       {"FILE", "FILE,...", "PROGRAM", "PROFILE", "MAP", "SHIPPED", "PATH", "LIST"})
    if (value == name) return ValueKind::file;
  if (value == "DIR") return ValueKind::folder;
  return value == "CMD" ? ValueKind::command : ValueKind::nothing;
}

std::vector<const Option*> shown_options(const CommandText& command) {
  std::vector<const Option*> options;
  for (const auto& option : command.table.options)
    if (!option.hidden) options.push_back(&option);
  return options;
}

std::string_view command_words(const CommandText& command, const CommandText& program) {
  std::string_view words = command.name;
  words.remove_prefix(program.name.size());
  words.remove_prefix(std::min(words.find_first_not_of(' '), words.size()));
  return words;
}

}  // namespace pgokit::cli
