// The only file that sees CLI11 (8 s to compile, and it throws).
#include "cli/options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iterator>

#include "cli/command_table.h"
#include "cli/suggest.h"
#include "report/print.h"

namespace pgokit::cli {
namespace {

template <class... F>
struct Overloaded : F... {
  using F::operator()...;
};

// CLI11 would take -1 for the largest number there is.
std::string refuse_negative(const std::string& word) {
  return word.starts_with('-') ? fmt::format("{}: a number from 0 on is wanted", word) : "";
}

CLI::Option* add_option(CLI::App& app, const Option& option) {
  CLI::Option* added = std::visit(
      Overloaded{[&](bool* target) { return app.add_flag(option.names, *target, option.help); },
                 [&](std::vector<std::string>* target) {
                   auto* list = app.add_option(option.names, *target, option.help);
                   // a named list takes one value each time it is given
                   return option.names.starts_with('-')
                              ? list->expected(1)->allow_extra_args(false)->take_all()
                              : list;
                 },
                 [&](u64* target) {
                   auto* number = app.add_option(option.names, *target, option.help);
                   return number->check(refuse_negative);
                 },
                 [&](auto* target) { return app.add_option(option.names, *target, option.help); }},
      option.target);
  if (!option.value.empty()) added->type_name(option.value);
  if (option.required) added->required();
  if (option.hidden) added->group("");
  return added;
}

std::string help_of(const CLI::App& app, const OptionTable& table) {
  std::string help = app.help();
  auto begin = table.usage.empty() ? help.npos : help.find("Usage: ");
  if (begin == help.npos) return help;
  std::string lines;
  for (const auto& line : table.usage)
    lines += fmt::format("{}{} {}\n", lines.empty() ? "Usage: " : "       ", table.command, line);
  return help.replace(begin, help.find('\n', begin) + 1 - begin, lines);
}

std::string no_such_option(const OptionTable& table, std::string_view word) {
  std::string_view name = word.substr(0, word.find('='));
  std::vector<std::string_view> names;
  for (const auto& option : table.options)
    if (!option.hidden) std::ranges::copy(names_of(option), std::back_inserter(names));
  // Of one letter all others are near.
  auto meant = name.starts_with("--") ? nearest(name, names) : "";
  return fmt::format("there is no option {}{}", name,
                     meant.empty() ? "" : fmt::format("; did you mean {}?", meant));
}

// Of "Could not convert: --for = abc". The only conversions are those of numbers.
std::string not_converted(std::string_view what) {
  auto colon = what.find(": "), equals = what.find(" = ");
  if (colon == what.npos || equals == what.npos || equals < colon) return std::string(what);
  return fmt::format("{} {}: a number is wanted", what.substr(colon + 2, equals - colon - 2),
                     what.substr(equals + 3));
}

// Of "--binary: 1 required PROGRAM missing".
std::string without_argument(std::string_view what) {
  constexpr std::string_view before = " required ", behind = " missing";
  auto colon = what.find(": "), type = what.find(before);
  if (colon == what.npos || type == what.npos || !what.ends_with(behind)) return std::string(what);
  type += before.size();
  return fmt::format("{} wants {} behind it", what.substr(0, colon),
                     what.substr(type, what.size() - behind.size() - type));
}

// An option that does not exist may be why others are missing.
std::string cause(const CLI::ParseError& error, const CLI::App& app, const OptionTable& table) {
  for (const auto& word : app.remaining()) {
    bool is_option = word.size() > 1 && word.starts_with('-');
    if (word == "--" || (table.trailing && !is_option)) break;
    if (is_option) return no_such_option(table, word);
  }
  if (dynamic_cast<const CLI::ConversionError*>(&error)) return not_converted(error.what());
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error)) return without_argument(error.what());
  return error.what();
}

int complain(const OptionTable& table, const std::string& what) {
  report::print(stderr, "{}: {}\nRun '{} --help' for its options.\n", table.command, what,
                table.command);
  return 2;
}

}  // namespace

Status check_percentage(std::string_view option, double value) {
  if (value >= 0 && value <= 100) return {};
  return usage_error("{} {:g}: a percentage from 0 to 100 is wanted", option, value);
}

std::vector<std::string_view> names_of(const Option& option) {
  std::vector<std::string_view> names;
  std::string_view rest = is_positional(option) ? "" : std::string_view(option.names);
  while (!rest.empty()) {
    size_t comma = std::min(rest.find(','), rest.size());
    names.push_back(rest.substr(0, comma));
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
  return names;
}

bool is_switch(const Option& option) {
  return std::holds_alternative<bool*>(option.target) ||
         std::holds_alternative<std::optional<bool>*>(option.target);
}

Option one_of(Option option, std::vector<std::string> choices, First first) {
  std::string list;
  for (size_t i = 0; i < choices.size(); ++i) {
    if (i > 0) list += i + 1 < choices.size() ? ", " : " or ";
    list += choices[i];
    if (i == 0 && first == First::is_default) list += " (default)";
  }
  if (auto at = option.help.find("{}"); at != std::string::npos) option.help.replace(at, 2, list);
  option.choices = std::move(choices);
  return option;
}

Status check_significant_bits(u64 bits) {
  if (bits >= 1 && bits <= 63) return {};
  return usage_error("--quantize {}: a number of bits from 1 to 63 is wanted", bits);
}

Option mangled_option(bool& target) {
  return {"--mangled", "", "names of functions as they are in files, not demangled", &target};
}

std::optional<int> parse_options(const OptionTable& table, std::span<char* const> arguments) {
  if (takes_table(table)) return 0;
  CLI::App app(table.summary, table.command);
  app.footer(table.footer);
  app.get_formatter()->column_width(32);
  std::vector<CLI::Option*> added;
  for (const auto& option : table.options) added.push_back(add_option(app, option));
  if (table.trailing) app.prefix_command();

  std::vector<std::string> reversed;  // CLI11 takes the last argument first
  for (auto it = arguments.rbegin(); it != arguments.rend(); ++it) reversed.emplace_back(*it);
  try {
    app.parse(std::move(reversed));
  } catch (const CLI::CallForHelp&) {
    report::print("{}", report::lines(help_of(app, table)));
    return 0;
  } catch (const CLI::ParseError& error) {
    return complain(table, cause(error, app, table));
  }
  for (size_t i = 0; table.given && i < added.size(); ++i) {
    std::string_view names = table.options[i].names;
    size_t start = std::min(names.find("--"), names.size());
    if (start < names.size() && added[i]->count() > 0)
      table.given->emplace_back(names.substr(start, names.find(',', start) - start));
  }
  if (table.trailing) {
    *table.trailing = app.remaining();
    auto& words = *table.trailing;
    if (!words.empty() && words.front() == "--")
      words.erase(words.begin());
    else if (!words.empty() && words.front().starts_with('-'))
      return complain(table, no_such_option(table, words.front()));
  }
  return std::nullopt;
}

}  // namespace pgokit::cli
