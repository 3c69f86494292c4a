#include "builtins.h"

#include <cmath>
#include <cstdio>

#include "ast.h"

namespace sprig {
namespace {

using Body = Value (*)(const Value* arguments, int line);

struct Builtin : Callable {
  Builtin(std::size_t n, Body b) : parameters(n), body(b) {}
  Value call(Frame&, const Value* arguments, std::size_t count, int line) override {
    if (count != parameters)
      fail(line, std::to_string(count) + " arguments for " + std::to_string(parameters));
    return body(arguments, line);
  }
  std::size_t parameters;
  Body body;
};

void need(bool ok, int line, const char* what) {
  if (!ok) fail(line, std::string("wrong argument: ") + what);
}

Value print(const Value* arguments, int) {
  std::puts(to_text(arguments[0]).c_str());
  return {};
}

Value length(const Value* arguments, int line) {
  switch (arguments[0].kind()) {
    case Kind::text:
      return Value(static_cast<std::int64_t>(arguments[0].as<Text>().text.size()));
    case Kind::list:
      return Value(static_cast<std::int64_t>(arguments[0].as<List>().items.size()));
    case Kind::map:
      return Value(static_cast<std::int64_t>(arguments[0].as<Map>().entries.size()));
    default:
      fail(line, "this has no length");
  }
}

Value push(const Value* arguments, int line) {
  need(arguments[0].is(Kind::list), line, "push adds to a list");
  arguments[0].as<List>().items.push_back(arguments[1]);
  return {};
}

Value keys(const Value* arguments, int line) {
  need(arguments[0].is(Kind::map), line, "keys are those of a map");
  auto* list = new List;
  for (const auto& entry : arguments[0].as<Map>().entries) list->items.push_back(entry.key);
  return {Kind::list, list};
}

Value has(const Value* arguments, int line) {
  need(arguments[0].is(Kind::map), line, "has looks into a map");
  return Value(arguments[0].as<Map>().find(arguments[1]) != nullptr);
}

Value code(const Value* arguments, int line) {
  need(arguments[0].is(Kind::text) && !arguments[0].as<Text>().text.empty(), line,
       "code of a text");
  return Value(
      static_cast<std::int64_t>(static_cast<unsigned char>(arguments[0].as<Text>().text[0])));
}

Value character(const Value* arguments, int line) {
  need(arguments[0].is(Kind::integer), line, "char of an integer");
  return make_text(std::string(1, static_cast<char>(arguments[0].integer())));
}

Value whole(const Value* arguments, int line) {
  need(arguments[0].is_number(), line, "floor of a number");
  return Value(static_cast<std::int64_t>(std::floor(arguments[0].real())));
}

Value square_root(const Value* arguments, int line) {
  need(arguments[0].is_number(), line, "sqrt of a number");
  return Value(std::sqrt(arguments[0].real()));
}

Value text(const Value* arguments, int) { return make_text(to_text(arguments[0])); }

}  // namespace

void add_builtins(Map& globals) {
  static constexpr struct {
    const char* name;
    std::size_t parameters;
    Body body;
  } all[] = {{"print", 1, print},    {"len", 1, length},  {"push", 2, push},
             {"keys", 1, keys},      {"has", 2, has},     {"code", 1, code},
             {"char", 1, character}, {"floor", 1, whole}, {"sqrt", 1, square_root},
             {"text", 1, text}};
  for (const auto& one : all)
    globals.at_or_insert(make_text(one.name), 0) =
        Value(Kind::function, new Builtin(one.parameters, one.body));
}

}  // namespace sprig
