#pragma once

// Names in the source by what debug information calls functions: without their files.
//
//   instrument::PlainNames names(module);
//   std::string_view name = names.source_name("apply");   // "app.c;apply"

#include <string_view>
#include <unordered_map>

#include "instrument/module.h"

namespace pgokit::instrument {

inline std::string_view plain_name(std::string_view source_name) {
  return source_name.substr(source_name.rfind(';') + 1);
}

class PlainNames {
 public:
  explicit PlainNames(const Module& module) {
    for (const auto& source : module.sources) add(module.name(source));
    for (const auto& function : module.functions) add(module.source_name(function));
  }

  // Empty: there is none, or there are several.
  std::string_view source_name(std::string_view plain) const {
    auto found = names_.find(plain);
    return found == names_.end() ? std::string_view() : found->second;
  }

 private:
  void add(std::string_view source_name) {
    auto [known, is_new] = names_.emplace(plain_name(source_name), source_name);
    if (!is_new && known->second != source_name) known->second = {};
  }

  std::unordered_map<std::string_view, std::string_view> names_;
};

}  // namespace pgokit::instrument
