#include "assembly/statements.h"

#include <array>
#include <cstring>

namespace pgokit::assembly {
namespace {

enum : u8 { word_character = 1, ends_run = 2 };

// Per character: may it be in a name; does it need a look when a statement is passed over.
constexpr auto classes = [] {
  std::array<u8, 256> out{};
  for (int c = 0; c < 256; ++c) {
    bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c >= 0x80;
    if (letter || (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '$' || c == '@')
      out[static_cast<size_t>(c)] |= word_character;
  }
  for (char c : {'\n', ';', '"', '\'', '#', '/'}) out[static_cast<u8>(c)] |= ends_run;
  return out;
}();

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v'; }

bool names_arm_register(std::string_view operands) {
  if (operands.starts_with("sp") || operands.starts_with("[")) return true;
  return operands.size() >= 2 && std::string_view("xwvqds").contains(operands[0]) &&
         operands[1] >= '0' && operands[1] <= '9';
}

}  // namespace

bool is_word(char c) { return classes[static_cast<u8>(c)] & word_character; }

Dialect guess_dialect(std::string_view text) {
  constexpr int enough = 200;
  int arm = 0, x86 = 0;
  size_t at = 0;
  while (at < text.size() && arm + x86 < enough) {
    size_t end = std::min(text.find('\n', at), text.size());
    std::string_view line = text.substr(at, end - at);
    at = end + 1;
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    if (line.starts_with(".intel_syntax")) return Dialect::x86;
    if (line.empty() || line[0] < 'a' || line[0] > 'z' || line.contains('"')) continue;
    size_t operands = std::min(line.find_first_of(" \t"), line.size());
    operands = std::min(line.find_first_not_of(" \t", operands), line.size());
    arm += names_arm_register(line.substr(operands));
    x86 += line.substr(0, line.find('#')).contains('%');
  }
  return arm > x86 ? Dialect::aarch64 : Dialect::x86;
}

StatementReader::StatementReader(std::string_view text, Dialect dialect)
    : begin_(text.data()),
      at_(begin_),
      end_(at_ + text.size()),
      hash_is_comment_(dialect == Dialect::x86) {}

void StatementReader::skip_blanks() {
  while (at_ < end_) {
    if (is_blank(*at_)) {
      ++at_;
    } else if (!skip_block_comment()) {
      return;
    }
  }
}

// To the newline, which is left to be read.
void StatementReader::skip_line() {
  const void* newline =
      at_ < end_ ? std::memchr(at_, '\n', static_cast<size_t>(end_ - at_)) : nullptr;
  at_ = newline ? static_cast<const char*>(newline) : end_;
}

bool StatementReader::skip_block_comment() {
  if (end_ - at_ < 2 || at_[0] != '/' || at_[1] != '*') return false;
  for (at_ += 2; at_ < end_; ++at_) {
    if (*at_ == '\n') ++line_;
    if (*at_ == '*' && end_ - at_ >= 2 && at_[1] == '/') return at_ += 2, true;
  }
  return in_comment_ = true;
}

// A string that is not closed ends with its line.
void StatementReader::skip_string() {
  for (++at_; at_ < end_ && *at_ != '\n'; ++at_) {
    if (*at_ == '"') {
      ++at_;
      return;
    }
    if (*at_ == '\\' && end_ - at_ >= 2 && at_[1] != '\n') ++at_;
  }
}

// GNU as: 'x, with or without a quote behind it.
void StatementReader::skip_character() {
  ++at_;
  if (at_ < end_ && *at_ == '\\') ++at_;
  if (at_ < end_ && *at_ != '\n') ++at_;
  if (at_ < end_ && *at_ == '\'') ++at_;
}

std::string_view StatementReader::take_word() {
  const char* start = at_;
  if (at_ < end_ && *at_ == '"') {
    skip_string();
  } else {
    while (at_ < end_ && is_word(*at_)) ++at_;
  }
  return {start, static_cast<size_t>(at_ - start)};
}

bool StatementReader::take_colon() {
  const char* colon = at_;
  while (colon < end_ && (*colon == ' ' || *colon == '\t')) ++colon;
  if (colon == end_ || *colon != ':') return false;
  at_ = colon + 1;
  if (at_ < end_ && *at_ == ':') ++at_;
  return true;
}

const char* StatementReader::skip_statement() {
  const char* said = at_;
  while (true) {
    const char* run = at_;
    while (at_ < end_ && !(classes[static_cast<u8>(*at_)] & ends_run)) ++at_;
    for (const char* last = at_; last > run; --last) {
      if (is_blank(last[-1])) continue;
      said = last;
      break;
    }
    if (at_ == end_ || *at_ == '\n' || *at_ == ';') return said;
    if (*at_ == '"') {
      skip_string();
    } else if (*at_ == '\'') {
      skip_character();
    } else if (*at_ == '/' && skip_block_comment()) {
      continue;
    } else if ((*at_ == '#' && hash_is_comment_) ||
               (*at_ == '/' && end_ - at_ >= 2 && at_[1] == '/')) {
      skip_line();
      return said;
    } else {
      ++at_;
    }
    said = at_;
  }
}

bool StatementReader::next(Statement& out) {
  while (at_ < end_) {
    // A '/' that begins no block comment makes the line a comment too.
    if (line_start_) {
      skip_blanks();
      line_start_ = false;
      if (at_ < end_ && (*at_ == '#' || *at_ == '/')) skip_line();
    }
    skip_blanks();
    if (at_ == end_) break;
    if (*at_ == '\n') {
      ++at_, ++line_;
      line_start_ = true;
      continue;
    }
    if (*at_ == ';') {
      ++at_;
      continue;
    }
    out.line = line_;
    std::string_view word = take_word();
    if (!word.empty() && take_colon()) {
      out.label = word, out.name = {}, out.operands = {};
      return true;
    }
    if (word.starts_with('.')) {
      skip_blanks();
      const char* operands = at_;
      bool assigns = at_ < end_ && *at_ == '=';
      const char* said = skip_statement();
      if (assigns) {
        ++instructions_;
        continue;
      }
      out.label = {}, out.name = word;
      out.operands = {operands, static_cast<size_t>(said - operands)};
      return true;
    }
    ++instructions_;
    skip_statement();
  }
  return false;
}

std::string_view without_quotes(std::string_view word) {
  if (word.size() >= 2 && word.front() == '"' && word.back() == '"')
    return word.substr(1, word.size() - 2);
  return word;
}

bool is_directive(std::string_view name, std::string_view lower) {
  if (name.size() != lower.size()) return false;
  for (size_t i = 0; i < name.size(); ++i) {
    char c = name[i];
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    if (c != lower[i]) return false;
  }
  return true;
}

}  // namespace pgokit::assembly
