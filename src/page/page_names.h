#pragma once

// The names on a page: each once, by number, as people read them, without what functions return.
//
//   PageNames names(false);
//   u32 main = names.number("main");
//   auto before = names.count();
//   names.number("other"), names.drop_from(before);       // as if it had not been asked for
//   names.write(json);

#include <string>
#include <unordered_map>
#include <vector>

#include "page/json_text.h"
#include "report/function_names.h"

namespace pgokit::page {

class PageNames {
 public:
  explicit PageNames(bool mangled) : mangled_(mangled) {}

  u32 number(std::string_view name) {
    auto [found, is_new] = numbers_.try_emplace(std::string(name), static_cast<u32>(list_.size()));
    if (is_new) {
      list_.push_back(&found->first);
      bytes_ += bytes_of(name);
    }
    return found->second;
  }
  size_t count() const { return list_.size(); }
  void drop_from(size_t count) {
    for (; list_.size() > count; list_.pop_back()) {
      auto found = numbers_.find(*list_.back());
      bytes_ -= bytes_of(found->first);
      numbers_.erase(found);
    }
  }

  // What write() takes, as far as names of other functions do not matter.
  size_t bytes() const { return bytes_; }
  // What another one would add to that.
  size_t more_bytes(std::string_view name) const {
    return numbers_.contains(std::string(name)) ? 0 : bytes_of(name);
  }

  void write(JsonText& json) const {
    report::FunctionNames names(mangled_, ReturnType::left_out);
    for (const auto* name : list_) names.add(*name);
    json.key("names").begin('[');
    for (const auto* name : list_) json.value(names.of(*name));
    json.end(']');
  }

 private:
  size_t bytes_of(std::string_view name) const {
    JsonText json;
    auto shown = report::function_name(name, mangled_, ReturnType::left_out);
    return json.value(std::string_view(shown)).text().size() + 1;
  }

  bool mangled_;
  std::unordered_map<std::string, u32> numbers_;
  std::vector<const std::string*> list_;
  size_t bytes_ = 0;
};

}  // namespace pgokit::page
