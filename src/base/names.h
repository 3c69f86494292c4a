#pragma once

// Interned text: equal names are equal integers, and the text lives as long as the table.
//
//   Names names;
//   NameId id = names.intern("main");
//   names.text(id);                      // "main"

#include <deque>
#include <functional>
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
  // Numbers in a table of open addressing: with the texts in it, it would be four times as large, and
  // a profile of tiny functions is little but names.
  static constexpr u32 none = ~u32{0};
  struct Slot {
    u32 hash = 0, id = none;
  };

  static u32 hash_of(std::string_view text) {
    return static_cast<u32>(std::hash<std::string_view>()(text));
  }
  // Where the text is, or would be.
  size_t place_of(std::string_view text, u32 hash) const;
  void grow();
  std::string_view keep(std::string_view text);

  std::vector<Slot> slots_;  // a power of two of them
  std::vector<std::string_view> texts_;
  std::deque<std::string> blocks_;  // full ones never move
};

}  // namespace pgokit
