#include "probe/descriptors.h"

#include <algorithm>

#include "base/cursor.h"

namespace pgokit::probe {
namespace {

// Of a damaged section: a name that no profile can hold.
bool is_name(std::string_view text) {
  return !text.empty() && std::ranges::none_of(text, [](char c) { return c == '\0' || c == '\n'; });
}

}  // namespace

Descriptors Descriptors::read(std::span<const Bytes> sections) {
  Descriptors out;
  for (Bytes section : sections) {
    Cursor in(section);
    while (!in.at_end()) {
      Descriptor one;
      one.guid = in.get<u64>();
      one.hash = in.get<u64>();
      one.name = as_text(in.bytes(in.uleb128()));
      if (!in.ok()) break;
      if (is_name(one.name))
        out.list_.push_back(one);
      else
        ++out.unnamed_;
    }
    out.truncated_ |= !in.ok();
  }
  // Not stable: among equal GUIDs it is the order of libstdc++'s sort that tells which one counts
  // in llvm-profgen's profiles.
  auto by_guid = [](const Descriptor& a, const Descriptor& b) { return a.guid < b.guid; };
  std::sort(out.list_.begin(), out.list_.end(), by_guid);
  size_t kept = 0;
  for (const Descriptor& one : out.list_) {
    if (kept > 0 && out.list_[kept - 1].guid == one.guid)
      out.duplicates_.push_back(one);
    else
      out.list_[kept++] = one;
  }
  out.list_.resize(kept);
  return out;
}

const Descriptor* Descriptors::find(u64 guid) const {
  auto at = std::ranges::lower_bound(list_, guid, {}, &Descriptor::guid);
  return at != list_.end() && at->guid == guid ? &*at : nullptr;
}

}  // namespace pgokit::probe
