#pragma once

// Tables and strings of an object file; nothing past the end of the file is invented.

#include <algorithm>
#include <vector>

#include "base/cursor.h"
#include "base/types.h"
#include "object/model/view.h"

namespace pgokit::object {

inline Bytes slice(Bytes image, u64 offset, u64 size) {
  if (offset > image.size() || size > image.size() - offset) return {};
  return image.subspan(offset, size);
}

inline std::string_view string_at(Bytes table, u64 offset) {
  if (offset >= table.size()) return {};
  return Cursor(table.subspan(offset)).cstring();
}

// `size` characters, or up to the first zero.
inline std::string_view padded_string(Bytes field) {
  std::string_view text = as_text(field);
  return text.substr(0, text.find('\0'));
}

template <class Entry>
std::vector<Entry> read_table(Bytes image, u64 offset, u64 count) {
  if (offset > image.size()) return {};
  Cursor in(image.subspan(offset));
  std::vector<Entry> table(std::min<u64>(count, in.left() / sizeof(Entry)));
  for (auto& entry : table) entry = in.get<Entry>();
  return table;
}

// Formats without sizes: a function or object reaches to the next symbol of its section, or to the
// end of that.
void fill_sizes(std::vector<Symbol>& symbols, const std::vector<Section>& sections, bool relative);

}  // namespace pgokit::object
