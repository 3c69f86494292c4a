#pragma once

// Turns the text of a script into tokens, one at a time.

#include <string_view>

namespace sprig {

enum class Token : unsigned char {
  end,
  name,
  integer,
  real,
  text,
  // words
  word_fn,
  word_let,
  word_if,
  word_else,
  word_while,
  word_for,
  word_in,
  word_return,
  word_break,
  word_true,
  word_false,
  word_nil,
  word_and,
  word_or,
  word_not,
  // signs
  paren_open,
  paren_close,
  brace_open,
  brace_close,
  bracket_open,
  bracket_close,
  comma,
  colon,
  semicolon,
  dot,
  assign,
  plus,
  minus,
  star,
  slash,
  percent,
  less,
  less_equal,
  greater,
  greater_equal,
  same,
  different,
};

struct Lexeme {
  Token token = Token::end;
  std::string_view text;  // as written; without its quotes where it is a text
  int line = 1;
};

class Lexer {
 public:
  explicit Lexer(std::string_view source) : rest_(source) {}
  Lexeme next();

 private:
  void skip_blanks();
  Lexeme take(Token token, std::size_t length);
  Lexeme take_number();
  Lexeme take_text();
  Lexeme take_sign();

  std::string_view rest_;
  int line_ = 1;
};

}  // namespace sprig
