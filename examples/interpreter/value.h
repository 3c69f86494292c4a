#pragma once

// The values of a script: nothing, truth, numbers, and counted references to text, lists, maps and
// functions.

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sprig {

enum class Kind : std::uint8_t { nil, boolean, integer, real, text, list, map, function };

std::string_view kind_name(Kind kind);

// What a script did wrong; main() prints it.
struct ScriptError : std::runtime_error {
  ScriptError(int at, const std::string& message) : std::runtime_error(message), line(at) {}
  int line;
};

[[noreturn]] void fail(int line, const std::string& message);

struct Object {
  virtual ~Object() = default;
  std::uint32_t references = 0;
};

class Value {
 public:
  Value() = default;
  explicit Value(bool truth) : kind_(Kind::boolean) { as_.integer = truth; }
  explicit Value(std::int64_t number) : kind_(Kind::integer) { as_.integer = number; }
  explicit Value(double number) : kind_(Kind::real) { as_.real = number; }
  Value(Kind kind, Object* object) : kind_(kind) {
    as_.object = object;
    ++object->references;
  }
  Value(const Value& other) : kind_(other.kind_), as_(other.as_) {
    if (is_object()) ++as_.object->references;
  }
  Value(Value&& other) noexcept : kind_(other.kind_), as_(other.as_) { other.kind_ = Kind::nil; }
  Value& operator=(Value other) noexcept {
    std::swap(kind_, other.kind_);
    std::swap(as_, other.as_);
    return *this;
  }
  ~Value() {
    if (is_object() && --as_.object->references == 0) delete as_.object;
  }

  Kind kind() const { return kind_; }
  bool is(Kind kind) const { return kind_ == kind; }
  bool is_number() const { return kind_ == Kind::integer || kind_ == Kind::real; }
  bool is_object() const { return kind_ >= Kind::text; }
  std::int64_t integer() const { return as_.integer; }
  double real() const { return kind_ == Kind::real ? as_.real : static_cast<double>(as_.integer); }
  Object* object() const { return as_.object; }
  template <class T>
  T& as() const {
    return static_cast<T&>(*as_.object);
  }
  bool truthy() const;

 private:
  Kind kind_ = Kind::nil;
  union {
    std::int64_t integer;
    double real;
    Object* object;
  } as_{0};
};

bool equal(const Value& a, const Value& b);
std::string to_text(const Value& value);

struct Text : Object {
  explicit Text(std::string content) : text(std::move(content)) {}
  std::uint64_t hash();
  std::string text;

 private:
  std::uint64_t hash_ = 0;  // 0: not computed yet
};

struct List : Object {
  std::vector<Value> items;
};

// An open-addressing hash map that remembers the order of insertion.
struct Map : Object {
  Value* find(const Value& key);
  Value& at_or_insert(const Value& key, int line);
  struct Entry {
    Value key, value;
  };
  std::vector<Entry> entries;

 private:
  std::size_t slot_of(const Value& key, std::uint64_t hash) const;
  void grow();
  std::vector<std::uint32_t> slots_;  // index into entries + 1; 0 is free
};

Value make_text(std::string content);

}  // namespace sprig
