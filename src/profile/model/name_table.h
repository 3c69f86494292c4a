#pragma once

// The function names of a profile. A profile with hashed names holds ids (function_guid()) in place
// of texts; both kinds are a NameId here.
//
//   NameTable names;
//   NameId main = names.intern("main");
//   NameId other = names.intern_guid(0x1234);
//   names.text(other);                          // "4660", as the tools print it

#include <string>
#include <vector>

#include "base/names.h"

namespace pgokit::profile {

class NameTable {
 public:
  NameId intern(std::string_view name) { return names_.intern(name); }
  NameId intern_guid(u64 guid);

  bool is_guid(NameId id) const { return names_.text(id).starts_with('\0'); }
  // The name; the decimal digits of an id.
  std::string_view text(NameId id) const {
    auto text = names_.text(id);
    return text.substr(text.starts_with('\0'));
  }
  // The same name of another table.
  NameId intern_from(const NameTable& other, NameId id) {
    return names_.intern(other.names_.text(id));
  }
  // The id itself, or that of the name.
  u64 guid(NameId id) const;

  // How files order names: ids first and by value, then texts bytewise.
  bool less(NameId a, NameId b) const;
  void sort(std::vector<NameId>& ids) const;
  // The place of each name in that order, so that many can be sorted by integers.
  std::vector<u32> ranks() const;
  size_t size() const { return names_.size(); }

 private:
  Names names_;  // ids as NUL and digits, which no name in a file can be
};

}  // namespace pgokit::profile
