#include "profile/model/name_table.h"

#include <algorithm>

#include "base/function_name.h"
#include "base/parse_number.h"

namespace pgokit::profile {

NameId NameTable::intern_guid(u64 guid) {
  char text[1 + 20] = {'\0'};
  auto end = std::to_chars(text + 1, std::end(text), guid).ptr;
  return names_.intern({text, static_cast<size_t>(end - text)});
}

u64 NameTable::guid(NameId id) const {
  auto name = text(id);
  if (!is_guid(id)) return function_guid(name);
  u64 value = 0;
  take_number(name, value);
  return value;
}

bool NameTable::less(NameId a, NameId b) const {
  bool a_guid = is_guid(a), b_guid = is_guid(b);
  if (a_guid != b_guid) return a_guid;
  return a_guid ? guid(a) < guid(b) : names_.text(a) < names_.text(b);
}

void NameTable::sort(std::vector<NameId>& ids) const {
  struct Key {
    std::string_view text;
    u64 guid;
    bool is_text;
    NameId id;
  };
  std::vector<Key> keys;
  keys.reserve(ids.size());
  for (NameId id : ids) {
    bool is_text = !is_guid(id);
    keys.push_back({text(id), is_text ? 0 : guid(id), is_text, id});
  }
  std::sort(keys.begin(), keys.end(), [](const Key& a, const Key& b) {
    if (a.is_text != b.is_text) return b.is_text;
    return a.is_text ? a.text < b.text : a.guid < b.guid;
  });
  for (size_t i = 0; i < ids.size(); ++i) ids[i] = keys[i].id;
}

std::vector<u32> NameTable::ranks() const {
  std::vector<NameId> order(size());
  for (u32 i = 0; i < order.size(); ++i) order[i] = NameId{i};
  sort(order);
  std::vector<u32> ranks(size());
  for (u32 i = 0; i < order.size(); ++i) ranks[static_cast<size_t>(order[i])] = i;
  return ranks;
}

}  // namespace pgokit::profile
