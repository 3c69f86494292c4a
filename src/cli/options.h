#pragma once

// A command's options as a table: it feeds the parser and --help, so that nothing is written twice.
//
//   struct Settings { std::string binary; bool json = false; std::vector<std::string> inputs; };
//   Settings s;
//   OptionTable table{"pgokit show", "Show what is in FILE", {
//       {"FILE", "", "recording, profile or program", &s.inputs},        // no dash: positional
//       {"--json", "", "print JSON", &s.json},
//       {"-b,--binary", "FILE", "the profiled program", &s.binary}}};
//   if (auto exit = parse_options(table, arguments)) return *exit;       // --help or wrong usage

#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "base/result.h"
#include "base/types.h"

namespace pgokit::cli {

struct Option {
  using Target = std::variant<bool*, std::optional<bool>*, std::string*, u64*, std::optional<u32>*,
                              i64*, double*, std::vector<std::string>*>;

  std::string names;  // "-o,--output", or "FILE" for a positional
  std::string value;  // what --help calls its value; empty for switches
  std::string help;
  Target target;  // its value before parsing is the default
  bool required = false;
  bool hidden = false;
  std::vector<std::string> choices = {};  // all values that it takes, if they can be listed
};

struct OptionTable {
  std::string command;  // "pgokit generate"
  std::string summary;
  std::vector<Option> options;
  std::string footer;  // examples
  // Everything behind "--", or from the first positional on where `trailing` is set and no "--" is
  // given: a command line to run.
  std::vector<std::string>* trailing = nullptr;
  // Lines of the form "[options] FILE", where the one that is made from the options says too
  // little.
  std::vector<std::string> usage = {};
  // The options that were given, by the first of their long names ("--output").
  std::vector<std::string>* given = nullptr;
};

// The names of an option: "-o", "--output"; none of a positional.
std::vector<std::string_view> names_of(const Option& option);
// It takes no value in a word of its own.
bool is_switch(const Option& option);
inline bool is_positional(const Option& option) { return !option.names.starts_with('-'); }
inline bool is_list(const Option& option) {
  return std::holds_alternative<std::vector<std::string>*>(option.target);
}

// An option that takes one of a few words. In its help they stand for "{}": "a (default), b or c",
// or without the default one where the first is none.
enum class First : bool { is_default, is_like_the_others };
Option one_of(Option option, std::vector<std::string> choices, First first = First::is_default);

// Of commands that print names of functions.
Option mangled_option(bool& target);

// Of options that are a share of something.
Status check_percentage(std::string_view option, double value);

// Of options that say how many significant bits counts keep.
Status check_significant_bits(u64 bits);

// nullopt: go on. Otherwise the exit code: 0 after --help, 2 after a complaint on standard error.
std::optional<int> parse_options(const OptionTable& table, std::span<char* const> arguments);

}  // namespace pgokit::cli
