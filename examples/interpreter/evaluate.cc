// How each kind of expression gets its value. This is where the time goes.

#include <cmath>

#include "ast.h"

namespace sprig {
namespace {

[[noreturn]] void wrong_operands(int line, const Value& a, const Value& b) {
  fail(line, "no such operation on " + std::string(kind_name(a.kind())) + " and " +
                 std::string(kind_name(b.kind())));
}

Value integer_operation(Token sign, std::int64_t a, std::int64_t b, int line) {
  auto wrap = [](std::uint64_t x) { return Value(static_cast<std::int64_t>(x)); };
  auto ua = static_cast<std::uint64_t>(a), ub = static_cast<std::uint64_t>(b);
  switch (sign) {
    case Token::plus:
      return wrap(ua + ub);
    case Token::minus:
      return wrap(ua - ub);
    case Token::star:
      return wrap(ua * ub);
    case Token::slash:
      if (b == 0) fail(line, "division by zero");
      return b == -1 ? wrap(0 - ua) : Value(a / b);
    case Token::percent:
      if (b == 0) fail(line, "division by zero");
      return Value(b == -1 ? std::int64_t{0} : a % b);
    case Token::less:
      return Value(a < b);
    case Token::less_equal:
      return Value(a <= b);
    case Token::greater:
      return Value(a > b);
    case Token::greater_equal:
      return Value(a >= b);
    default:
      break;
  }
  fail(line, "not an operation");
}

Value real_operation(Token sign, double a, double b, int line) {
  switch (sign) {
    case Token::plus:
      return Value(a + b);
    case Token::minus:
      return Value(a - b);
    case Token::star:
      return Value(a * b);
    case Token::slash:
      return Value(a / b);
    case Token::percent:
      return Value(std::fmod(a, b));
    case Token::less:
      return Value(a < b);
    case Token::less_equal:
      return Value(a <= b);
    case Token::greater:
      return Value(a > b);
    case Token::greater_equal:
      return Value(a >= b);
    default:
      break;
  }
  fail(line, "not an operation");
}

Value text_operation(Token sign, const Value& a, const Value& b, int line) {
  if (sign == Token::plus) return make_text(to_text(a) + to_text(b));
  if (a.kind() != b.kind()) wrong_operands(line, a, b);
  int order = a.as<Text>().text.compare(b.as<Text>().text);
  switch (sign) {
    case Token::less:
      return Value(order < 0);
    case Token::less_equal:
      return Value(order <= 0);
    case Token::greater:
      return Value(order > 0);
    case Token::greater_equal:
      return Value(order >= 0);
    default:
      break;
  }
  wrong_operands(line, a, b);
}

Value operation(Token sign, const Value& a, const Value& b, int line) {
  if (sign == Token::same) return Value(equal(a, b));
  if (sign == Token::different) return Value(!equal(a, b));
  if (a.is(Kind::integer) && b.is(Kind::integer))
    return integer_operation(sign, a.integer(), b.integer(), line);
  if (a.is_number() && b.is_number()) return real_operation(sign, a.real(), b.real(), line);
  if (a.is(Kind::text) || b.is(Kind::text)) return text_operation(sign, a, b, line);
  wrong_operands(line, a, b);
}

std::size_t position(const Value& key, std::size_t size, int line) {
  if (!key.is(Kind::integer)) fail(line, "a list is indexed by integers");
  auto index = static_cast<std::size_t>(key.integer());
  if (index >= size)
    fail(line, "index " + std::to_string(key.integer()) + " of " + std::to_string(size));
  return index;
}

}  // namespace

void Expression::assign(Frame&, Value) const { fail(line, "this cannot be assigned to"); }

Value Constant::evaluate(Frame&) const { return value; }

Value Local::evaluate(Frame& frame) const { return frame.locals[index]; }
void Local::assign(Frame& frame, Value value) const { frame.locals[index] = std::move(value); }

Value Global::evaluate(Frame& frame) const {
  if (auto* found = frame.globals.find(name)) return *found;
  fail(line, "there is no '" + to_text(name) + "'");
}

void Global::assign(Frame& frame, Value value) const {
  frame.globals.at_or_insert(name, line) = std::move(value);
}

Value Unary::evaluate(Frame& frame) const {
  Value value = operand->evaluate(frame);
  if (sign == Token::word_not) return Value(!value.truthy());
  if (value.is(Kind::integer)) return integer_operation(Token::minus, 0, value.integer(), line);
  if (value.is(Kind::real)) return Value(-value.real());
  fail(line, "minus of a " + std::string(kind_name(value.kind())));
}

Value Binary::evaluate(Frame& frame) const {
  Value a = left->evaluate(frame);
  Value b = right->evaluate(frame);
  return operation(sign, a, b, line);
}

Value Logical::evaluate(Frame& frame) const {
  Value a = left->evaluate(frame);
  if (a.truthy() == (sign == Token::word_or)) return a;
  return right->evaluate(frame);
}

Value Call::evaluate(Frame& frame) const {
  constexpr std::size_t most = 8;
  Value function = callee->evaluate(frame);
  if (!function.is(Kind::function))
    fail(line, "a " + std::string(kind_name(function.kind())) + " cannot be called");
  if (arguments.size() > most) fail(line, "too many arguments");
  Value values[most];
  for (std::size_t i = 0; i < arguments.size(); ++i) values[i] = arguments[i]->evaluate(frame);
  return function.as<Callable>().call(frame, values, arguments.size(), line);
}

Value Index::evaluate(Frame& frame) const {
  Value from = container->evaluate(frame);
  Value at = key->evaluate(frame);
  switch (from.kind()) {
    case Kind::list: {
      auto& items = from.as<List>().items;
      return items[position(at, items.size(), line)];
    }
    case Kind::map: {
      auto* found = from.as<Map>().find(at);
      return found ? *found : Value();
    }
    case Kind::text: {
      auto& text = from.as<Text>().text;
      return make_text(text.substr(position(at, text.size(), line), 1));
    }
    default:
      fail(line, "a " + std::string(kind_name(from.kind())) + " has no elements");
  }
}

void Index::assign(Frame& frame, Value value) const {
  Value to = container->evaluate(frame);
  Value at = key->evaluate(frame);
  if (to.is(Kind::list)) {
    auto& items = to.as<List>().items;
    items[position(at, items.size(), line)] = std::move(value);
  } else if (to.is(Kind::map)) {
    to.as<Map>().at_or_insert(at, line) = std::move(value);
  } else {
    fail(line, "a " + std::string(kind_name(to.kind())) + " has no elements to set");
  }
}

Value ListLiteral::evaluate(Frame& frame) const {
  auto* list = new List;
  Value out(Kind::list, list);
  list->items.reserve(items.size());
  for (const auto& item : items) list->items.push_back(item->evaluate(frame));
  return out;
}

Value MapLiteral::evaluate(Frame& frame) const {
  auto* map = new Map;
  Value out(Kind::map, map);
  for (const auto& [key, value] : items) {
    Value name = key->evaluate(frame);
    Value content = value->evaluate(frame);
    map->at_or_insert(name, line) = std::move(content);
  }
  return out;
}

}  // namespace sprig
