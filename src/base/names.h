#pragma once

// Interned text: equal names are equal integers, and the text lives as long as the table.
//
//   Names names;
//   NameId id = names.intern("main");
//   names.text(id);                      // "main"

#include <tsl/robin_map.h>

#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/types.h"

namespace pgokit {

enum class NameId : u32 {};

class Names {
 public:
  Names() = default;
  Names(const Names&) = delete;
  Names& operator=(const Names&) = delete;
  Names(Names&&) = default;
  Names& operator=(Names&&) = default;

  NameId intern(std::string_view text);
  std::optional<NameId> find(std::string_view text) const;
  std::string_view text(NameId id) const { return texts_[static_cast<u32>(id)]; }
  size_t size() const { return texts_.size(); }

 private:
  std::string_view keep(std::string_view text);

  tsl::robin_map<std::string_view, NameId> ids_;
  std::vector<std::string_view> texts_;
  std::deque<std::string> blocks_;  // full ones never move
};

}  // namespace pgokit
