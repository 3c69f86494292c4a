#include "parser.h"

#include <charconv>
#include <unordered_map>

namespace sprig {
namespace {

// How tightly a sign between two operands binds; 0: it is none.
int binding(Token token) {
  switch (token) {
    case Token::word_or:
      return 1;
    case Token::word_and:
      return 2;
    case Token::same:
    case Token::different:
      return 3;
    case Token::less:
    case Token::less_equal:
    case Token::greater:
    case Token::greater_equal:
      return 4;
    case Token::plus:
    case Token::minus:
      return 5;
    case Token::star:
    case Token::slash:
    case Token::percent:
      return 6;
    default:
      return 0;
  }
}

class Parser {
 public:
  explicit Parser(std::string_view source) : lexer_(source) { advance(); }
  Script script();

 private:
  using Names = std::unordered_map<std::string_view, std::size_t>;

  void advance() { now_ = lexer_.next(); }
  bool accept(Token token) {
    if (now_.token != token) return false;
    advance();
    return true;
  }
  Lexeme expect(Token token, const char* what) {
    if (now_.token != token)
      fail(now_.line,
           std::string("here must be ") + what + ", not '" + std::string(now_.text) + "'");
    Lexeme out = now_;
    advance();
    return out;
  }
  Value text_of(std::string_view text);
  std::size_t declare(Lexeme name);

  void function(Script& script);
  StatementPtr block();
  StatementPtr statement();
  StatementPtr if_statement();
  StatementPtr while_statement();
  StatementPtr for_statement();
  StatementPtr let_statement();
  StatementPtr simple_statement();
  ExpressionPtr expression(int tightness = 1);
  ExpressionPtr unary();
  ExpressionPtr postfix();
  ExpressionPtr primary();
  ExpressionPtr number(Lexeme lexeme);
  ExpressionPtr variable(Lexeme name);
  ExpressionPtr list_literal(int line);
  ExpressionPtr map_literal(int line);

  Lexer lexer_;
  Lexeme now_;
  Names locals_;  // of the function being parsed; in the main part there are none
  bool in_function_ = false;
  std::unordered_map<std::string_view, Value> texts_;  // equal texts are one object
};

Value Parser::text_of(std::string_view text) {
  auto [place, added] = texts_.try_emplace(text);
  if (added) place->second = make_text(std::string(text));
  return place->second;
}

std::size_t Parser::declare(Lexeme name) {
  if (locals_.size() >= most_locals) fail(name.line, "too many variables in one function");
  return locals_.try_emplace(name.text, locals_.size()).first->second;
}

Script Parser::script() {
  Script script;
  auto main = std::make_unique<Block>();
  while (now_.token != Token::end) {
    if (accept(Token::word_fn))
      function(script);
    else
      main->statements.push_back(statement());
  }
  script.main = std::make_unique<ScriptFunction>();
  script.main->body = std::move(main);
  return script;
}

void Parser::function(Script& script) {
  if (in_function_) fail(now_.line, "functions are not nested");
  auto* made = new ScriptFunction;
  Value owner(Kind::function, made);
  auto name = expect(Token::name, "a name");
  script.functions.emplace_back(text_of(name.text), owner);
  in_function_ = true;
  locals_.clear();
  expect(Token::paren_open, "'('");
  while (now_.token != Token::paren_close) {
    declare(expect(Token::name, "a name"));
    if (!accept(Token::comma)) break;
  }
  expect(Token::paren_close, "')'");
  made->parameters = locals_.size();
  made->body = block();
  made->locals = locals_.size();
  in_function_ = false;
}

StatementPtr Parser::block() {
  expect(Token::brace_open, "'{'");
  auto out = std::make_unique<Block>();
  while (now_.token != Token::brace_close && now_.token != Token::end)
    out->statements.push_back(statement());
  expect(Token::brace_close, "'}'");
  return out;
}

StatementPtr Parser::statement() {
  switch (now_.token) {
    case Token::word_if:
      return if_statement();
    case Token::word_while:
      return while_statement();
    case Token::word_for:
      return for_statement();
    case Token::word_let:
      return let_statement();
    case Token::brace_open:
      return block();
    default:
      return simple_statement();
  }
}

StatementPtr Parser::if_statement() {
  advance();
  auto out = std::make_unique<If>();
  out->condition = expression();
  out->then = block();
  if (accept(Token::word_else))
    out->otherwise = now_.token == Token::word_if ? if_statement() : block();
  return out;
}

StatementPtr Parser::while_statement() {
  advance();
  auto out = std::make_unique<While>();
  out->condition = expression();
  out->body = block();
  return out;
}

StatementPtr Parser::for_statement() {
  if (!in_function_) fail(now_.line, "'for' stands in functions only");
  advance();
  auto out = std::make_unique<ForEach>();
  out->variable = declare(expect(Token::name, "a name"));
  expect(Token::word_in, "'in'");
  out->list = expression();
  out->body = block();
  return out;
}

StatementPtr Parser::let_statement() {
  advance();
  auto name = expect(Token::name, "a name");
  expect(Token::assign, "'='");
  auto value = expression();
  expect(Token::semicolon, "';'");
  if (in_function_) declare(name);
  return std::make_unique<Assign>(variable(name), std::move(value));
}

StatementPtr Parser::simple_statement() {
  StatementPtr out;
  if (accept(Token::word_return)) {
    out = std::make_unique<Return>(now_.token == Token::semicolon ? nullptr : expression());
  } else if (accept(Token::word_break)) {
    out = std::make_unique<Break>();
  } else {
    auto left = expression();
    if (accept(Token::assign))
      out = std::make_unique<Assign>(std::move(left), expression());
    else
      out = std::make_unique<Evaluate>(std::move(left));
  }
  expect(Token::semicolon, "';'");
  return out;
}

ExpressionPtr Parser::expression(int tightness) {
  auto left = unary();
  for (int tight; (tight = binding(now_.token)) >= tightness;) {
    auto sign = now_;
    advance();
    auto right = expression(tight + 1);
    if (sign.token == Token::word_and || sign.token == Token::word_or)
      left = std::make_unique<Logical>(sign.line, sign.token, std::move(left), std::move(right));
    else
      left = std::make_unique<Binary>(sign.line, sign.token, std::move(left), std::move(right));
  }
  return left;
}

ExpressionPtr Parser::unary() {
  if (now_.token != Token::minus && now_.token != Token::word_not) return postfix();
  auto sign = now_;
  advance();
  return std::make_unique<Unary>(sign.line, sign.token, unary());
}

ExpressionPtr Parser::postfix() {
  auto left = primary();
  for (;;) {
    int line = now_.line;
    if (accept(Token::paren_open)) {
      auto call = std::make_unique<Call>(line, std::move(left));
      while (now_.token != Token::paren_close) {
        call->arguments.push_back(expression());
        if (!accept(Token::comma)) break;
      }
      expect(Token::paren_close, "')'");
      left = std::move(call);
    } else if (accept(Token::bracket_open)) {
      left = std::make_unique<Index>(line, std::move(left), expression());
      expect(Token::bracket_close, "']'");
    } else if (accept(Token::dot)) {
      auto field = expect(Token::name, "a name");
      auto key = std::make_unique<Constant>(line, text_of(field.text));
      left = std::make_unique<Index>(line, std::move(left), std::move(key));
    } else {
      return left;
    }
  }
}

ExpressionPtr Parser::primary() {
  auto lexeme = now_;
  advance();
  auto constant = [&](Value value) {
    return std::make_unique<Constant>(lexeme.line, std::move(value));
  };
  switch (lexeme.token) {
    case Token::integer:
    case Token::real:
      return number(lexeme);
    case Token::text:
      return constant(text_of(lexeme.text));
    case Token::word_true:
      return constant(Value(true));
    case Token::word_false:
      return constant(Value(false));
    case Token::word_nil:
      return constant(Value());
    case Token::name:
      return variable(lexeme);
    case Token::bracket_open:
      return list_literal(lexeme.line);
    case Token::brace_open:
      return map_literal(lexeme.line);
    case Token::paren_open: {
      auto inner = expression();
      expect(Token::paren_close, "')'");
      return inner;
    }
    default:
      fail(lexeme.line, "'" + std::string(lexeme.text) + "' begins no expression");
  }
}

ExpressionPtr Parser::number(Lexeme lexeme) {
  const char *first = lexeme.text.data(), *last = first + lexeme.text.size();
  if (lexeme.token == Token::real) {
    double real = 0;
    std::from_chars(first, last, real);
    return std::make_unique<Constant>(lexeme.line, Value(real));
  }
  std::int64_t integer = 0;
  if (std::from_chars(first, last, integer).ec != std::errc())
    fail(lexeme.line, "too large a number");
  return std::make_unique<Constant>(lexeme.line, Value(integer));
}

ExpressionPtr Parser::variable(Lexeme name) {
  if (auto found = locals_.find(name.text); in_function_ && found != locals_.end())
    return std::make_unique<Local>(name.line, found->second);
  return std::make_unique<Global>(name.line, text_of(name.text));
}

ExpressionPtr Parser::list_literal(int line) {
  auto out = std::make_unique<ListLiteral>(line);
  while (now_.token != Token::bracket_close) {
    out->items.push_back(expression());
    if (!accept(Token::comma)) break;
  }
  expect(Token::bracket_close, "']'");
  return out;
}

ExpressionPtr Parser::map_literal(int line) {
  auto out = std::make_unique<MapLiteral>(line);
  while (now_.token != Token::brace_close) {
    auto key = expression();
    expect(Token::colon, "':'");
    out->items.emplace_back(std::move(key), expression());
    if (!accept(Token::comma)) break;
  }
  expect(Token::brace_close, "'}'");
  return out;
}

}  // namespace

Script parse(std::string_view source) { return Parser(source).script(); }

}  // namespace sprig
