#include "base/shell_word.h"

namespace pgokit {

std::string shell_word(std::string_view word) {
  constexpr std::string_view plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%";
  if (!word.empty() && word.find_first_not_of(plain) == word.npos) return std::string(word);
  std::string text = "'";
  for (char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

std::string shell_line(std::span<const std::string> words) {
  std::string line;
  for (const auto& word : words) line += (line.empty() ? "" : " ") + shell_word(word);
  return line;
}

std::optional<std::vector<std::string>> shell_words(std::string_view text) {
  std::vector<std::string> words;
  bool is_in_word = false;
  char quote = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (!quote && std::string_view(" \t\n").contains(c)) {
      is_in_word = false;
      continue;
    }
    if (!is_in_word) words.emplace_back();
    is_in_word = true;
    if (quote && c == quote) {
      quote = 0;
      continue;
    }
    if (!quote && (c == '\'' || c == '"')) {
      quote = c;
      continue;
    }
    bool escapes = c == '\\' && i + 1 < text.size() && quote != '\'';
    if (escapes && (!quote || std::string_view("\"\\$`").contains(text[i + 1]))) c = text[++i];
    words.back() += c;
  }
  if (quote) return std::nullopt;
  return words;
}

}  // namespace pgokit
