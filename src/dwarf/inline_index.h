#pragma once

// The functions and inlined calls of one unit, or of one function, by address.
//
//   auto index = InlineIndex::read(unit, units, function.begin, function.end);
//   auto part = index.find(address);
//   for (u32 s = part.scope; s != InlineIndex::none; s = index.scope(s).parent) ...    // outwards

#include <vector>

#include "dwarf/names.h"
#include "dwarf/overlay.h"

namespace pgokit::dwarf {

class InlineIndex {
 public:
  static constexpr u32 none = RangeOverlay::none;

  // A function, or an inlined call of one; `parent` is what the call stands in.
  struct Scope {
    u32 parent = none;
    u32 function = none;  // given to all that a part can lead to
    u64 entry = 0;        // in .debug_info
    u32 call_line = 0, call_column = 0, call_file = 0, call_discriminator = 0;
  };
  struct Part {
    Range range;  // holds the address
    u32 scope = none;
  };

  // Reads the entry at `begin` and those below, which are before `end`.
  static InlineIndex read(const Unit& unit, const UnitList& units, u64 begin, u64 end);

  // `last`: where the last address was found; the next one is looked for there first.
  Part find(u64 address, size_t& last) const;
  Part find(u64 address) const {
    size_t anywhere = 0;
    return find(address, anywhere);
  }
  const Scope& scope(u32 index) const { return scopes_[index]; }
  const FunctionInfo& function(const Scope& scope) const { return functions_[scope.function]; }

 private:
  class Builder;
  std::vector<Scope> scopes_;
  std::vector<FunctionInfo> functions_;
  std::vector<RangeOverlay::Start> starts_;
};

}  // namespace pgokit::dwarf
