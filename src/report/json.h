#pragma once

// JSON for --json: built as a tree, keys in the order they were set.
//
//   Json samples = Json::object();
//   samples.set("used", used).set("dropped", dropped);
//   report::print("{}\n", Json::object().set("samples", std::move(samples)).text());

#include <concepts>
#include <memory>
#include <string>
#include <string_view>

#include "base/types.h"

namespace pgokit::report {

class Json {
 public:
  static Json object();
  static Json array();

  Json();  // null
  Json(std::string_view text);
  Json(const std::string& text) : Json(std::string_view(text)) {}
  Json(const char* text) : Json(std::string_view(text)) {}
  Json(std::same_as<bool> auto value) : Json(Bool{value}) {}
  Json(std::unsigned_integral auto value)
    requires(!std::same_as<decltype(value), bool>)
      : Json(Unsigned{value}) {}
  Json(std::signed_integral auto value) : Json(Signed{value}) {}
  Json(double value);
  Json(Json&&) noexcept;
  Json& operator=(Json&&) noexcept;
  ~Json();

  Json& set(std::string_view key, Json value);
  Json& push(Json value);

  // Indented by two; bytes that are not UTF-8 are replaced, and what a terminal would obey is
  // written as \uNNNN.
  std::string text() const;

 private:
  struct Tree;
  struct Bool {
    bool value;
  };
  struct Unsigned {
    u64 value;
  };
  struct Signed {
    i64 value;
  };
  explicit Json(Bool value);
  explicit Json(Unsigned value);
  explicit Json(Signed value);

  std::unique_ptr<Tree> tree_;
};

// A string as JSON writes it, quotes included: for lists too long to be built as a tree.
std::string json_quoted(std::string_view text);

// Whether a text is JSON, as other programs will read it.
bool is_json(std::string_view text);

}  // namespace pgokit::report
