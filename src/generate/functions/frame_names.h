#pragma once

// The names of functions in debug information as ids of a table, by where they are in memory: most
// frames name a function that was named before.
//
//   FrameNames names(profile.names);
//   NameId id = names.id(frame.function);

#include <tsl/robin_map.h>

#include <string_view>

#include "base/hash.h"
#include "profile/model/name_table.h"

namespace pgokit::generate {

class FrameNames {
 public:
  explicit FrameNames(profile::NameTable& table) : table_(table) {}

  // Of a text that stays where it is.
  NameId id(std::string_view name) {
    auto [known, fresh] = ids_.try_emplace(Text{name.data(), name.size()});
    if (fresh) known.value() = table_.intern(name);
    return known->second;
  }

 private:
  struct Text {
    const char* data = nullptr;
    size_t size = 0;
    bool operator==(const Text&) const = default;
  };
  struct Hash {
    size_t operator()(const Text& text) const {
      return IntHash{}(reinterpret_cast<u64>(text.data) + text.size);
    }
  };

  profile::NameTable& table_;
  tsl::robin_map<Text, NameId, Hash> ids_;
};

}  // namespace pgokit::generate
