#include "base/names.h"

#include <algorithm>

namespace pgokit {

NameId Names::intern(std::string_view text) {
  if (auto found = ids_.find(text); found != ids_.end()) return found->second;
  auto id = static_cast<NameId>(texts_.size());
  std::string_view kept = keep(text);
  texts_.push_back(kept);
  ids_.emplace(kept, id);
  return id;
}

std::optional<NameId> Names::find(std::string_view text) const {
  auto found = ids_.find(text);
  return found == ids_.end() ? std::nullopt : std::optional(found->second);
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
