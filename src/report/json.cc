// The only file that sees nlohmann/json (4 s to compile).
#include "report/json.h"

#include <nlohmann/json.hpp>

#include "base/printable.h"

namespace pgokit::report {

struct Json::Tree {
  nlohmann::ordered_json value;
};

Json::Json() : tree_(std::make_unique<Tree>()) {}
Json::Json(std::string_view text) : Json() { tree_->value = std::string(text); }
Json::Json(double value) : Json() { tree_->value = value; }
Json::Json(Bool value) : Json() { tree_->value = value.value; }
Json::Json(Unsigned value) : Json() { tree_->value = value.value; }
Json::Json(Signed value) : Json() { tree_->value = value.value; }
Json::Json(Json&&) noexcept = default;
Json& Json::operator=(Json&&) noexcept = default;
Json::~Json() = default;

Json Json::object() {
  Json json;
  json.tree_->value = nlohmann::ordered_json::object();
  return json;
}

Json Json::array() {
  Json json;
  json.tree_->value = nlohmann::ordered_json::array();
  return json;
}

Json& Json::set(std::string_view key, Json value) {
  tree_->value[std::string(key)] = std::move(value.tree_->value);
  return *this;
}

Json& Json::push(Json value) {
  tree_->value.push_back(std::move(value.tree_->value));
  return *this;
}

std::string Json::text() const {
  return printable_json(
      tree_->value.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

std::string json_quoted(std::string_view text) { return Json(text).text(); }

bool is_json(std::string_view text) { return nlohmann::json::accept(text); }

}  // namespace pgokit::report
