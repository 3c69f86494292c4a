#include "base/names.h"

#include <algorithm>

namespace pgokit {

NameId Names::intern(std::string_view text) {
  if (3 * (texts_.size() + 1) > 2 * slots_.size()) grow();
  u32 hash = hash_of(text);
  Slot& slot = slots_[place_of(text, hash)];
  if (slot.id == none) {
    slot = {hash, static_cast<u32>(texts_.size())};
    texts_.push_back(keep(text));
  }
  return NameId{slot.id};
}

std::optional<NameId> Names::find(std::string_view text) const {
  if (slots_.empty()) return std::nullopt;
  u32 id = slots_[place_of(text, hash_of(text))].id;
  return id == none ? std::nullopt : std::optional(NameId{id});
}

size_t Names::place_of(std::string_view text, u32 hash) const {
  size_t mask = slots_.size() - 1, at = hash & mask;
  while (slots_[at].id != none && (slots_[at].hash != hash || texts_[slots_[at].id] != text))
    at = (at + 1) & mask;
  return at;
}

void Names::grow() {
  constexpr size_t least = 16;
  std::vector<Slot> old(std::max(least, 2 * slots_.size()));
  old.swap(slots_);
  size_t mask = slots_.size() - 1;
  for (Slot slot : old) {
    if (slot.id == none) continue;
    size_t at = slot.hash & mask;
    while (slots_[at].id != none) at = (at + 1) & mask;
    slots_[at] = slot;
  }
}

std::string_view Names::keep(std::string_view text) {
  constexpr size_t block_size = 1 << 16;
  if (blocks_.empty() || blocks_.back().capacity() - blocks_.back().size() < text.size()) {
    blocks_.emplace_back();
    blocks_.back().reserve(std::max(block_size, text.size()));
  }
  std::string& block = blocks_.back();
  size_t start = block.size();
  block.append(text);
  return std::string_view(block).substr(start);
}

}  // namespace pgokit
