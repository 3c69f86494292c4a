#include "lexer.h"

#include <algorithm>
#include <cctype>
#include <string>
#include <unordered_map>

#include "value.h"

namespace sprig {
namespace {

bool is_name_part(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

Token word_or_name(std::string_view text) {
  static const std::unordered_map<std::string_view, Token> words = {
      {"fn", Token::word_fn},     {"let", Token::word_let},       {"if", Token::word_if},
      {"else", Token::word_else}, {"while", Token::word_while},   {"for", Token::word_for},
      {"in", Token::word_in},     {"return", Token::word_return}, {"break", Token::word_break},
      {"true", Token::word_true}, {"false", Token::word_false},   {"nil", Token::word_nil},
      {"and", Token::word_and},   {"or", Token::word_or},         {"not", Token::word_not}};
  auto found = words.find(text);
  return found == words.end() ? Token::name : found->second;
}

}  // namespace

void Lexer::skip_blanks() {
  while (!rest_.empty()) {
    char c = rest_.front();
    if (c == '#') {
      rest_.remove_prefix(std::min(rest_.find('\n'), rest_.size()));
    } else if (std::isspace(static_cast<unsigned char>(c))) {
      line_ += c == '\n';
      rest_.remove_prefix(1);
    } else {
      return;
    }
  }
}

Lexeme Lexer::take(Token token, std::size_t length) {
  Lexeme out{token, rest_.substr(0, length), line_};
  rest_.remove_prefix(length);
  return out;
}

Lexeme Lexer::take_number() {
  std::size_t length = 0;
  auto digits = [&] {
    while (length < rest_.size() && is_digit(rest_[length])) ++length;
  };
  digits();
  if (length + 1 >= rest_.size() || rest_[length] != '.' || !is_digit(rest_[length + 1]))
    return take(Token::integer, length);
  ++length;
  digits();
  return take(Token::real, length);
}

Lexeme Lexer::take_text() {
  auto end = rest_.find('"', 1);
  if (end == rest_.npos) fail(line_, "this text has no end");
  rest_.remove_prefix(1);
  auto out = take(Token::text, end - 1);
  for (char c : out.text) line_ += c == '\n';
  rest_.remove_prefix(1);
  return out;
}

Lexeme Lexer::take_sign() {
  bool with_equal = rest_.size() > 1 && rest_[1] == '=';
  switch (rest_.front()) {
    case '(':
      return take(Token::paren_open, 1);
    case ')':
      return take(Token::paren_close, 1);
    case '{':
      return take(Token::brace_open, 1);
    case '}':
      return take(Token::brace_close, 1);
    case '[':
      return take(Token::bracket_open, 1);
    case ']':
      return take(Token::bracket_close, 1);
    case ',':
      return take(Token::comma, 1);
    case ':':
      return take(Token::colon, 1);
    case ';':
      return take(Token::semicolon, 1);
    case '.':
      return take(Token::dot, 1);
    case '+':
      return take(Token::plus, 1);
    case '-':
      return take(Token::minus, 1);
    case '*':
      return take(Token::star, 1);
    case '/':
      return take(Token::slash, 1);
    case '%':
      return take(Token::percent, 1);
    case '=':
      return with_equal ? take(Token::same, 2) : take(Token::assign, 1);
    case '<':
      return with_equal ? take(Token::less_equal, 2) : take(Token::less, 1);
    case '>':
      return with_equal ? take(Token::greater_equal, 2) : take(Token::greater, 1);
    case '!':
      if (with_equal) return take(Token::different, 2);
      break;
    default:
      break;
  }
  fail(line_, std::string("'") + rest_.front() + "' has no meaning here");
}

Lexeme Lexer::next() {
  skip_blanks();
  if (rest_.empty()) return take(Token::end, 0);
  char c = rest_.front();
  if (is_digit(c)) return take_number();
  if (c == '"') return take_text();
  if (!is_name_part(c)) return take_sign();
  std::size_t length = 1;
  while (length < rest_.size() && is_name_part(rest_[length])) ++length;
  return take(word_or_name(rest_.substr(0, length)), length);
}

}  // namespace sprig
