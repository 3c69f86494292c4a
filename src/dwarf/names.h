#pragma once

// Names and declaration lines of functions, which an entry has itself or takes from the entry that
// it is an instance (DW_AT_abstract_origin) or the definition (DW_AT_specification) of.

#include <deque>
#include <string_view>

#include "dwarf/unit.h"

namespace pgokit::dwarf {

// The units of one .debug_info, to follow references between them.
class UnitList {
 public:
  explicit UnitList(const std::deque<Unit>& units) : units_(units) {}
  const Unit* at(u64 offset) const;

 private:
  const std::deque<Unit>& units_;
};

struct FunctionInfo {
  std::string_view name;  // linkage name, else short name; empty: none
  u32 line = 0;           // 0: none
};

// Where a reference leads, in .debug_info: nothing if out of its unit, or to a file that is not
// read. Then the entry there, if there is one.
std::optional<u64> referenced_place(const Unit& from, Value value);
Entry entry_at_place(const UnitList& units, const Unit& from, u64 place);
FunctionInfo function_info(const UnitList& units, const Entry& entry);

}  // namespace pgokit::dwarf
