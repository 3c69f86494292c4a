#pragma once

// The tree that a script is parsed into. Each node evaluates itself; parser.cc makes the nodes.

#include <memory>
#include <vector>

#include "lexer.h"
#include "value.h"

namespace sprig {

// Together they bound the stack of variables.
inline constexpr std::size_t most_locals = 32, deepest_call = 2000;

// What a running function can reach: its own variables by number, the globals by name.
struct Frame {
  Value* locals;
  Value* end;  // of the locals: where those of a called function begin
  Map& globals;
  std::size_t depth = 0;
  Value result{};  // of a return statement
};

struct Expression {
  explicit Expression(int at) : line(at) {}
  virtual ~Expression() = default;
  virtual Value evaluate(Frame& frame) const = 0;
  // Only what can stand left of '=' does more than fail.
  virtual void assign(Frame& frame, Value value) const;
  int line;
};

enum class Flow : unsigned char { next, broke, returned };

struct Statement {
  virtual ~Statement() = default;
  virtual Flow run(Frame& frame) const = 0;
};

using ExpressionPtr = std::unique_ptr<Expression>;
using StatementPtr = std::unique_ptr<Statement>;

// Something that can be called: written in the script (script_function.cc) or built in.
struct Callable : Object {
  virtual Value call(Frame& caller, const Value* arguments, std::size_t count, int line) = 0;
};

struct Constant : Expression {
  Constant(int at, Value v) : Expression(at), value(std::move(v)) {}
  Value evaluate(Frame&) const override;
  Value value;
};

struct Local : Expression {
  Local(int at, std::size_t number) : Expression(at), index(number) {}
  Value evaluate(Frame& frame) const override;
  void assign(Frame& frame, Value value) const override;
  std::size_t index;
};

struct Global : Expression {
  Global(int at, Value key) : Expression(at), name(std::move(key)) {}
  Value evaluate(Frame& frame) const override;
  void assign(Frame& frame, Value value) const override;
  Value name;
};

struct Unary : Expression {
  Unary(int at, Token t, ExpressionPtr e) : Expression(at), sign(t), operand(std::move(e)) {}
  Value evaluate(Frame& frame) const override;
  Token sign;
  ExpressionPtr operand;
};

struct Binary : Expression {
  Binary(int at, Token t, ExpressionPtr a, ExpressionPtr b)
      : Expression(at), sign(t), left(std::move(a)), right(std::move(b)) {}
  Value evaluate(Frame& frame) const override;
  Token sign;
  ExpressionPtr left, right;
};

struct Logical : Binary {
  using Binary::Binary;
  Value evaluate(Frame& frame) const override;
};

struct Call : Expression {
  Call(int at, ExpressionPtr f) : Expression(at), callee(std::move(f)) {}
  Value evaluate(Frame& frame) const override;
  ExpressionPtr callee;
  std::vector<ExpressionPtr> arguments;
};

struct Index : Expression {  // a[i], and a.b, which is a["b"]
  Index(int at, ExpressionPtr e, ExpressionPtr k)
      : Expression(at), container(std::move(e)), key(std::move(k)) {}
  Value evaluate(Frame& frame) const override;
  void assign(Frame& frame, Value value) const override;
  ExpressionPtr container, key;
};

struct ListLiteral : Expression {
  using Expression::Expression;
  Value evaluate(Frame& frame) const override;
  std::vector<ExpressionPtr> items;
};

struct MapLiteral : Expression {
  using Expression::Expression;
  Value evaluate(Frame& frame) const override;
  std::vector<std::pair<ExpressionPtr, ExpressionPtr>> items;
};

struct Evaluate : Statement {
  explicit Evaluate(ExpressionPtr e) : expression(std::move(e)) {}
  Flow run(Frame& frame) const override;
  ExpressionPtr expression;
};

struct Assign : Statement {
  Assign(ExpressionPtr to, ExpressionPtr from) : target(std::move(to)), value(std::move(from)) {}
  Flow run(Frame& frame) const override;
  ExpressionPtr target, value;
};

struct Block : Statement {
  Flow run(Frame& frame) const override;
  std::vector<StatementPtr> statements;
};

struct If : Statement {
  Flow run(Frame& frame) const override;
  ExpressionPtr condition;
  StatementPtr then, otherwise;
};

struct While : Statement {
  Flow run(Frame& frame) const override;
  ExpressionPtr condition;
  StatementPtr body;
};

struct ForEach : Statement {
  Flow run(Frame& frame) const override;
  std::size_t variable = 0;
  ExpressionPtr list;
  StatementPtr body;
};

struct Return : Statement {
  explicit Return(ExpressionPtr e) : value(std::move(e)) {}
  Flow run(Frame& frame) const override;
  ExpressionPtr value;
};

struct Break : Statement {
  Flow run(Frame& frame) const override;
};

struct ScriptFunction : Callable {
  Value call(Frame& caller, const Value* arguments, std::size_t count, int line) override;
  std::size_t parameters = 0;
  std::size_t locals = 0;  // parameters among them
  StatementPtr body;
};

}  // namespace sprig
