#include "cli/llvm/llvm_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <limits>

#include "base/cursor.h"
#include "base/edit_distance.h"
#include "base/file.h"
#include "base/parse_number.h"
#include "base/version.h"
#include "cli/command_table.h"
#include "report/print.h"

namespace pgokit::cli {
namespace {

using Words = std::vector<std::string>;

// Of the tools that the drop-ins are compared with; build systems ask for it.
constexpr const char* llvm_version = "22.1.8";

template <class... F>
struct Overloaded : F... {
  using F::operator()...;
};

// Without dashes; positional arguments have none.
std::vector<std::string_view> bare_names_of(const Option& option) {
  auto names = names_of(option);
  for (auto& name : names) name.remove_prefix(name.find_first_not_of('-'));
  return names;
}

std::optional<bool> bool_of(std::string_view text) {
  for (const char* yes : {"", "true", "TRUE", "True", "1"})
    if (text == yes) return true;
  for (const char* no : {"false", "FALSE", "False", "0"})
    if (text == no) return false;
  return std::nullopt;
}

template <class Number>
std::optional<Number> number_of(std::string_view text) {
  bool negative = std::numeric_limits<Number>::is_signed && text.starts_with('-');
  if (negative) text.remove_prefix(1);
  int base = 10;
  auto prefixed = [&](const char* lower, const char* upper) {
    return text.starts_with(lower) || text.starts_with(upper);
  };
  size_t prefix = 2;
  if (prefixed("0x", "0X"))
    base = 16;
  else if (prefixed("0b", "0B"))
    base = 2;
  else if (prefixed("0o", "0O"))
    base = 8;
  else if (text.size() > 1 && text[0] == '0' && text[1] >= '0' && text[1] <= '9')
    base = 8, prefix = 1;
  if (base != 10) text.remove_prefix(prefix);
  u64 value = 0;
  if (!parse_number(text, value, base)) return std::nullopt;
  if (value > static_cast<u64>(std::numeric_limits<Number>::max()) + negative) return std::nullopt;
  return static_cast<Number>(negative ? u64{0} - value : value);
}

template <class Value>
void assign(Value& target, Value value) {
  target = value;
}
template <class Value>
void assign(std::optional<Value>& target, Value value) {
  target = value;
}

// Empty: done; else what is wrong with the value.
std::string set(const Option& option, const std::string& text) {
  auto number = [&](auto parsed, auto* target, const char* kind) -> std::string {
    if (!parsed) return fmt::format("'{}' value invalid for {} argument!", text, kind);
    assign(*target, *parsed);
    return {};
  };
  auto truth = [&](auto* target) -> std::string {
    auto value = bool_of(text);
    if (!value) return fmt::format("'{}' is invalid value for boolean argument! Try 0 or 1", text);
    assign(*target, *value);
    return {};
  };
  return std::visit(
      Overloaded{
          [&](bool* target) { return truth(target); },
          [&](std::optional<bool>* target) { return truth(target); },
          [&](std::string* target) { return *target = text, std::string(); },
          [&](Words* target) { return target->push_back(text), std::string(); },
          [&](u64* target) { return number(number_of<u64>(text), target, "uint"); },
          [&](std::optional<u32>* target) { return number(number_of<u32>(text), target, "uint"); },
          [&](i64* target) { return number(number_of<i64>(text), target, "int"); },
          [&](double* target) {
            char* end = nullptr;
            double value = std::strtod(text.c_str(), &end);
            bool whole = !text.empty() && *end == '\0';
            return number(whole ? std::optional(value) : std::nullopt, target, "floating point");
          }},
      option.target);
}

// What a shell would make of the words in a response file.
Words words_of(std::string_view text) {
  Words words;
  std::string word;
  bool inside = false;
  char quote = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (quote ? c == quote : c == '"' || c == '\'') {
      quote = quote ? 0 : c;
      inside = true;
    } else if (c == '\\' && i + 1 < text.size()) {
      word += text[++i];
      inside = true;
    } else if (!quote && (c == ' ' || c == '\t' || c == '\n' || c == '\r')) {
      if (inside) words.push_back(std::exchange(word, {}));
      inside = false;
    } else {
      word += c;
      inside = true;
    }
  }
  if (inside) words.push_back(word);
  return words;
}

// A response file that cannot be read stays a word, and files in files are not followed.
Words with_response_files(std::span<char* const> arguments) {
  Words words;
  for (std::string word : arguments) {
    auto file = word.starts_with('@') ? MappedFile::open(word.substr(1)) : fail("");
    if (file)
      std::ranges::move(words_of(as_text(file->bytes())), std::back_inserter(words));
    else
      words.push_back(std::move(word));
  }
  return words;
}

std::string dashed(std::string_view name) {
  return (name.size() > 1 ? "--" : "-") + std::string(name);
}

class Parser {
 public:
  explicit Parser(const OptionTable& table) : table_(table), given_(table.options.size()) {}

  std::optional<int> parse(const Words& words) {
    for (size_t i = 0; i < words.size(); ++i) {
      if (words[i] == "--") {
        for (++i; i < words.size(); ++i) take_positional(words[i]);
        break;
      }
      if (auto exit = take(words, i)) return exit;
    }
    for (size_t i = 0; i < given_.size(); ++i)
      if (table_.options[i].required && !given_[i]) missing(table_.options[i]);
    if (failed_) return 1;
    return std::nullopt;
  }

 private:
  template <class... A>
  void wrong(fmt::format_string<A...> text, A&&... values) {
    report::print(stderr, "{}: {}\n", table_.command,
                  report::lines(fmt::format(text, std::forward<A>(values)...)));
    failed_ = true;
  }

  void missing(const Option& option) {
    auto names = bare_names_of(option);
    if (names.empty())
      wrong(
          "Not enough positional command line arguments specified!\nMust specify at least 1 "
          "positional argument: See: {} --help",
          table_.command);
    else
      wrong("for the {} option: must be specified at least once!", dashed(names[0]));
  }

  void take_positional(const std::string& word) {
    size_t places = 0;
    for (size_t i = 0; i < table_.options.size(); ++i) {
      const auto& option = table_.options[i];
      if (!is_positional(option)) continue;
      ++places;
      bool list = std::holds_alternative<Words*>(option.target);
      if (!list && given_[i]) continue;
      given_[i] = true;
      if (auto problem = set(option, word); !problem.empty())
        wrong("for the {} argument: {}", option.names, problem);
      return;
    }
    if (places == 0) return unknown(word);
    wrong(
        "Too many positional arguments specified!\nCan specify at most {} positional "
        "arguments: See: {} --help",
        places, table_.command);
  }

  const Option* find(std::string_view name) const {
    for (const auto& option : table_.options)
      for (auto one : bare_names_of(option))
        if (one == name) return &option;
    return nullptr;
  }

  void unknown(const std::string& word) {
    wrong("Unknown command line argument '{}'.  Try: '{} --help'", word, table_.command);
    size_t equals = std::min(word.find('='), word.size());
    auto name = std::string_view(word).substr(0, equals);
    size_t dashes = name.find_first_not_of('-');
    if (dashes == 0 || dashes == name.npos) return;
    name.remove_prefix(dashes);
    std::string_view nearest;
    size_t least = std::max<size_t>(name.size(), 1);
    for (const auto& option : table_.options)
      for (auto candidate : option.hidden ? std::vector<std::string_view>() : bare_names_of(option))
        if (size_t distance = edit_distance(name, candidate); distance < least)
          least = distance, nearest = candidate;
    if (!nearest.empty()) wrong("Did you mean '--{}{}'?", nearest, word.substr(equals));
  }

  // Help and version, and nothing else, end the program at once.
  std::optional<int> general(std::string_view name) const {
    for (const char* help : {"help", "h", "help-hidden", "help-list", "help-list-hidden"})
      if (name == help) {
        std::string word = "--help";
        char* words[] = {word.data()};
        OptionTable shown = table_;
        if (name.contains("hidden"))
          for (auto& option : shown.options) option.hidden = false;
        return parse_options(shown, words);
      }
    if (name != "version") return std::nullopt;
    print_llvm_version();
    return 0;
  }

  std::optional<int> take(const Words& words, size_t& i) {
    std::string_view word = words[i];
    size_t dashes = std::min(word.find_first_not_of('-'), word.size());
    if (dashes == 0 || word == "-") return take_positional(words[i]), std::nullopt;
    if (dashes > 2 || dashes == word.size()) return unknown(words[i]), std::nullopt;
    word.remove_prefix(dashes);
    size_t equals = word.find('=');
    auto name = word.substr(0, equals);
    if (auto exit = general(name)) return exit;
    const Option* option = find(name);
    if (!option) return unknown(words[i]), std::nullopt;
    given_[static_cast<size_t>(option - table_.options.data())] = true;
    std::string value;
    if (equals != word.npos)
      value = word.substr(equals + 1);
    else if (!is_switch(*option) && i + 1 == words.size())
      return wrong("for the {} option: requires a value!", dashed(name)), std::nullopt;
    else if (!is_switch(*option))
      value = words[++i];
    if (auto problem = set(*option, value); !problem.empty())
      wrong("for the {} option: {}", dashed(name), problem);
    return std::nullopt;
  }

  const OptionTable& table_;
  std::vector<bool> given_;
  bool failed_ = false;
};

}  // namespace

void print_llvm_version() {
  report::print("pgokit {}, in place of LLVM version {}\n  Optimized build.\n", version,
                llvm_version);
}

std::optional<int> parse_llvm_options(const OptionTable& table, std::span<char* const> arguments) {
  if (takes_table(table)) return 0;
  return Parser(table).parse(with_response_files(arguments));
}

}  // namespace pgokit::cli
