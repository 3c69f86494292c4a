#include "profile/name_table.h"

#include <algorithm>
#include <charconv>
#include <numeric>

#include "base/function_name.h"

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
  std::from_chars(name.data(), name.data() + name.size(), value);
  return value;
}

bool NameTable::less(NameId a, NameId b) const {
  bool a_guid = is_guid(a), b_guid = is_guid(b);
  if (a_guid != b_guid) return a_guid;
  return a_guid ? guid(a) < guid(b) : names_.text(a) < names_.text(b);
}

std::vector<u32> NameTable::ranks() const {
  std::vector<u32> order(size()), ranks(size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(),
            [&](u32 a, u32 b) { return less(static_cast<NameId>(a), static_cast<NameId>(b)); });
  for (u32 i = 0; i < order.size(); ++i) ranks[order[i]] = i;
  return ranks;
}

}  // namespace pgokit::profile
