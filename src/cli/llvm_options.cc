#include "cli/llvm_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/result.h"

namespace pgokit::cli {
namespace {

// Whether `name`, without dashes, is one of "--output,-o".
bool has_name(std::string_view names, std::string_view name) {
  while (!names.empty()) {
    std::string_view one = names.substr(0, names.find(','));
    names.remove_prefix(std::min(one.size() + 1, names.size()));
    if (!one.starts_with('-')) continue;
    one.remove_prefix(one.find_first_not_of('-'));
    if (one == name) return true;
  }
  return false;
}

struct Word {
  std::string_view name;  // without dashes
  std::optional<std::string_view> value;
};

Word parted(std::string_view word) {
  word.remove_prefix(word.starts_with("--") ? 2 : 1);
  size_t equal = word.find('=');
  if (equal == word.npos) return {word, std::nullopt};
  return {word.substr(0, equal), word.substr(equal + 1)};
}

std::string dashed(std::string_view name) {
  return (name.size() > 1 ? "--" : "-") + std::string(name);
}

template <class T>
Status set_number(T* target, const Word& word) {
  const char* end = word.value->data() + word.value->size();
  auto [stopped, error] = std::from_chars(word.value->data(), end, *target);
  if (error == std::errc{} && stopped == end) return {};
  return fail("for the {} option: '{}' value invalid for a number!", dashed(word.name),
              *word.value);
}

struct Setter {
  const Word& word;

  Status operator()(bool* target) const {
    std::string_view value = word.value.value_or("true");
    bool yes = value.empty() || value == "true" || value == "TRUE" || value == "1";
    bool no = value == "false" || value == "FALSE" || value == "0";
    if (!yes && !no)
      return fail("for the {} option: '{}' is invalid value for boolean argument! Try 0 or 1",
                  dashed(word.name), value);
    *target = yes;
    return {};
  }
  Status operator()(std::string* target) const {
    *target = *word.value;
    return {};
  }
  Status operator()(std::vector<std::string>* target) const {
    target->emplace_back(*word.value);
    return {};
  }
  Status operator()(auto* target) const { return set_number(target, word); }
};

class Parser {
 public:
  Parser(const OptionTable& table, std::span<char* const> words) : table_(table), words_(words) {}

  Status parse() {
    bool options_end = false;
    while (!words_.empty()) {
      std::string_view word = next();
      if (word == "--" && !options_end)
        options_end = true;
      else if (options_end || word.size() < 2 || word[0] != '-')
        TRY(take_positional(word));
      else
        TRY(take_option(parted(word)));
    }
    return {};
  }
  bool wants_help() const { return help_; }

 private:
  std::string_view next() {
    std::string_view word = words_.front();
    words_ = words_.subspan(1);
    return word;
  }

  Status take_option(Word word) {
    if (has_name("--help,-h,--help-hidden", word.name)) return help_ = true, Status{};
    for (const auto& option : table_.options) {
      if (!has_name(option.names, word.name)) continue;
      if (!word.value && !std::holds_alternative<bool*>(option.target)) {
        if (words_.empty()) return fail("for the {} option: requires a value!", dashed(word.name));
        word.value = next();
      }
      return std::visit(Setter{word}, option.target);
    }
    return fail("Unknown command line argument '{}'.  Try: '{} --help'", dashed(word.name),
                table_.command);
  }

  Status take_positional(std::string_view word) {
    for (const auto& option : table_.options) {
      if (option.names.starts_with('-')) continue;
      if (auto* list = std::get_if<std::vector<std::string>*>(&option.target))
        return (*list)->emplace_back(word), Status{};
      auto* text = std::get_if<std::string*>(&option.target);
      if (text && (*text)->empty()) return **text = word, Status{};
    }
    return fail(
        "Too many positional arguments specified!\nCan specify at most {} positional "
        "arguments: See: {} --help",
        std::ranges::count_if(table_.options,
                              [](const Option& o) { return !o.names.starts_with('-'); }),
        table_.command);
  }

  const OptionTable& table_;
  std::span<char* const> words_;
  bool help_ = false;
};

}  // namespace

std::optional<int> parse_llvm_options(const OptionTable& table, std::span<char* const> arguments) {
  Parser parser(table, arguments);
  auto status = parser.parse();
  if (!status) {
    fmt::print(stderr, "{}: {}\n", table.command, status.error().message);
    return 1;
  }
  if (!parser.wants_help()) return std::nullopt;
  std::string help = "--help";
  char* words[] = {help.data()};
  return parse_options(table, words);
}

}  // namespace pgokit::cli
