#pragma once

// The functions of one unit and their addresses: a quick pass that leaves inlined calls alone, so
// that only functions asked about are read in full.
//
//   auto functions = UnitFunctions::read(unit, neighbours);
//   auto part = functions.find(address);
//   if (part.kind == UnitFunctions::one) use(functions.functions()[part.function].name);

#include <string_view>
#include <vector>

#include "dwarf/names.h"
#include "dwarf/ranges.h"

namespace pgokit::dwarf {

class UnitFunctions {
 public:
  struct Function {
    std::string_view name;       // empty: none
    u64 begin = 0, end = 0;      // its entry and all entries below are here, in .debug_info
    bool deeply_nested = false;  // in several other functions
  };
  struct Placed {
    Range range;  // not empty
    u32 function = 0;
  };
  enum Kind : u8 {
    nothing,
    one,   // a function that shares none of the part's addresses
    many,  // several overlap
  };
  struct Part {
    Range range;  // holds the address
    Kind kind = nothing;
    u32 function = 0;  // for `one`
  };

  static UnitFunctions read(const Unit& unit, const UnitList& neighbours);

  const std::vector<Function>& functions() const { return functions_; }
  // In the order of entries.
  const std::vector<Placed>& ranges() const { return ranges_; }
  Part find(u64 address) const;
  template <class Rename>
  void rename(const Rename& name_at) {
    for (const auto& [range, id] : ranges_)
      functions_[id].name = name_at(range.begin, functions_[id].name);
  }

 private:
  class Reader;
  void build_parts();

  std::vector<Function> functions_;
  std::vector<Placed> ranges_;
  std::vector<Part> parts_;  // ascending, without those of nothing
};

}  // namespace pgokit::dwarf
