#include "remarks/yaml.h"

#include <algorithm>
#include <array>
#include <vector>

#include "base/cursor.h"
#include "base/parse_number.h"
#include "remarks/yaml_scalar.h"

namespace pgokit::remarks {
namespace {

constexpr std::string_view document = "--- !";

// The lines of a text, without their ends.
class Lines {
 public:
  explicit Lines(std::string_view text) : rest_(text) { next(); }

  bool at_end() const { return at_end_; }
  std::string_view line() const { return line_; }
  u64 number() const { return number_; }

  void next() {
    at_end_ = rest_.empty();
    size_t end = std::min(rest_.find('\n'), rest_.size());
    line_ = rest_.substr(0, end);
    if (line_.ends_with('\r')) line_.remove_suffix(1);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    ++number_;
  }

 private:
  std::string_view rest_, line_;
  u64 number_ = 0;
  bool at_end_ = false;
};

size_t indentation(std::string_view line) {
  return std::min(line.find_first_not_of(' '), line.size());
}

std::string_view without_blanks(std::string_view text) { return text.substr(indentation(text)); }

struct Entry {
  std::string_view key, value;
};

// "Key:   value"; the key is empty where it is none.
Entry entry_of(std::string_view line) {
  size_t colon = line.find(':');
  if (colon == line.npos) return {};
  return {line.substr(0, colon), without_blanks(line.substr(colon + 1))};
}

class YamlReader {
 public:
  YamlReader(Bytes file, const Visitor& visit) : lines_(as_text(file)), visit_(visit) {}

  Status read() {
    while (!lines_.at_end()) {
      auto line = lines_.line();
      if (line.empty() || line == "...") {
        lines_.next();
        continue;
      }
      if (!line.starts_with(document)) return damaged("'--- !' and a kind of remark are expected");
      TRY(read_remark(line.substr(document.size())));
    }
    return {};
  }

 private:
  std::unexpected<Error> damaged(std::string_view what) const {
    return fail("line {}: {}", lines_.number(), what);
  }

  bool in_document() const {
    return !lines_.at_end() && lines_.line() != "..." && !lines_.line().starts_with("---");
  }

  Status read_remark(std::string_view tag) {
    remark_ = {};
    arguments_.clear();
    texts_.clear();
    for (u64 kind = 1; kind < kinds; ++kind)
      if (tag == name_of(static_cast<Kind>(kind))) remark_.kind = static_cast<Kind>(kind);
    if (remark_.kind == Kind::unknown) return damaged("an unknown kind of remark");
    lines_.next();
    while (in_document()) TRY(read_entry());
    if (remark_.pass.empty() || remark_.name.empty() || remark_.function.empty())
      return damaged("the remark in front of it lacks its pass, name or function");
    remark_.arguments = arguments_;
    visit_(remark_);
    return {};
  }

  Status read_entry() {
    auto [key, value] = entry_of(lines_.line());
    if (key.empty() || key.front() == ' ') return damaged("'KEY: value' is expected");
    if (key == "Args") {
      lines_.next();
      return read_arguments();
    }
    if (key == "DebugLoc") {
      remark_.at = TRY(read_location(value));
      return {};
    }
    if (key == "Hotness" && !parse_number(value, remark_.hotness.emplace()))
      return damaged("the hotness is no number");
    auto text = TRY(read_value(value, 0));
    if (key == "Pass") remark_.pass = text;
    if (key == "Name") remark_.name = text;
    if (key == "Function") remark_.function = text;
    return {};
  }

  Status read_arguments() {
    constexpr std::string_view item = "  - ";
    while (in_document() && lines_.line().starts_with("  ")) {
      auto line = lines_.line();
      if (!line.starts_with(item)) {
        TRY(read_argument_location());
        continue;
      }
      auto [key, value] = entry_of(line.substr(item.size()));
      if (key.empty()) return damaged("an argument is expected");
      if (arguments_.size() == most_arguments) return damaged("the remark has too many arguments");
      auto text = TRY(read_value(value, item.size()));
      arguments_.push_back({key, text, {}});
    }
    return {};
  }

  Status read_argument_location() {
    auto [key, value] = entry_of(without_blanks(lines_.line()));
    if (key != "DebugLoc" || arguments_.empty()) return damaged("an argument is expected");
    arguments_.back().at = TRY(read_location(value));
    return {};
  }

  // The value of the line's key, which begins after `indent` characters; goes to the next line.
  Result<std::string_view> read_value(std::string_view value, size_t indent) {
    if (value.starts_with('|')) return read_block(indent);
    auto scalar = read_scalar(value, "", texts_);
    if (!scalar || !without_blanks(value.substr(scalar->size)).empty())
      return damaged("a quoted text is damaged");
    lines_.next();
    return scalar->value;
  }

  // Lines that are indented beyond their key.
  std::string_view read_block(size_t indent) {
    auto& text = texts_.next();
    lines_.next();
    size_t depth = indentation(lines_.line());
    for (; !lines_.at_end(); lines_.next()) {
      auto line = lines_.line();
      size_t here = indentation(line);
      if (here < line.size() && (here <= indent || here < depth)) break;
      text += line.substr(std::min(depth, here));
      text += '\n';
    }
    return text;
  }

  // "{ File: a.c, Line: 3, Column: 7 }", which is wrapped where it is long.
  Result<SourceLocation> read_location(std::string_view rest) {
    if (!rest.starts_with('{')) return damaged("a location is expected");
    rest.remove_prefix(1);
    SourceLocation at;
    while (true) {
      rest = without_blanks(rest);
      while (rest.empty()) {
        lines_.next();
        if (!in_document()) return damaged("a location does not end");
        rest = without_blanks(lines_.line());
      }
      if (rest.starts_with('}')) break;
      auto [key, value] = entry_of(rest);
      auto scalar = read_scalar(value, ",}", texts_);
      if (!scalar) return damaged("a quoted text is damaged");
      if (!take(key, scalar->value, at)) return damaged("a location is damaged");
      rest = without_blanks(value.substr(scalar->size));
      if (rest.starts_with(',')) rest.remove_prefix(1);
    }
    lines_.next();
    return at;
  }

  static bool take(std::string_view key, std::string_view value, SourceLocation& at) {
    if (key == "File") {
      at.file = value;
      return true;
    }
    if (key != "Line" && key != "Column") return false;
    return parse_number(value, key == "Line" ? at.line : at.column);
  }

  Lines lines_;
  const Visitor& visit_;
  Remark remark_;
  std::vector<Argument> arguments_;
  ScalarTexts texts_;
};

}  // namespace

bool is_yaml(Bytes file) { return as_text(file).starts_with(document); }

Status each_of_yaml(Bytes file, const Visitor& visit) { return YamlReader(file, visit).read(); }

}  // namespace pgokit::remarks
