#include "probe/descriptors.h"

#include <algorithm>
#include <utility>

#include "base/cursor.h"

namespace pgokit::probe {

Descriptors Descriptors::read(Bytes section) {
  Descriptors out;
  Cursor in(section);
  while (!in.at_end()) {
    Descriptor one;
    one.guid = in.get<u64>();
    one.hash = in.get<u64>();
    one.name = as_text(in.bytes(in.uleb128()));
    if (!in.ok()) break;
    out.list_.push_back(one);
  }
  out.truncated_ = !in.ok();

  // The names' places tell which came first.
  auto by_guid = [](const Descriptor& a, const Descriptor& b) {
    return std::pair(a.guid, a.name.data()) < std::pair(b.guid, b.name.data());
  };
  auto same = [](const Descriptor& a, const Descriptor& b) { return a.guid == b.guid; };
  std::sort(out.list_.begin(), out.list_.end(), by_guid);
  auto end = std::unique(out.list_.begin(), out.list_.end(), same);
  out.duplicates_ = static_cast<u64>(out.list_.end() - end);
  out.list_.erase(end, out.list_.end());
  return out;
}

const Descriptor* Descriptors::find(u64 guid) const {
  auto at = std::lower_bound(list_.begin(), list_.end(), guid,
                             [](const Descriptor& one, u64 id) { return one.guid < id; });
  return at != list_.end() && at->guid == guid ? &*at : nullptr;
}

}  // namespace pgokit::probe
