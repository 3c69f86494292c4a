#pragma once

// Addresses of entries: low and high bounds, range lists, and the unit that an address belongs to.

#include <span>
#include <vector>

#include "dwarf/unit.h"

namespace pgokit::dwarf {

struct Range {
  u64 begin = 0, end = 0;
  bool operator==(const Range&) const = default;
};

// The three attributes that tell an entry's addresses.
struct CodeAttributes {
  Value low, high, ranges;

  void see(u16 attribute, Value value);
};

// Reads range lists, up to a number of entries in all: so many that only a file made to hurt, in
// which lists are shared or overlap, has more.
class RangeReader {
 public:
  explicit RangeReader(u64 limit) : left_(limit) {}

  // Appends the ranges; empty ones too, but none of code that the linker removed and marked so.
  // Nothing is appended for a list that cannot be read to its end.
  void read(const Unit& unit, const CodeAttributes& code, std::vector<Range>& out);

 private:
  bool read_old_list(const Unit& unit, u64 offset, std::vector<Range>& out);
  bool read_list(const Unit& unit, u64 offset, std::vector<Range>& out);
  bool take();

  u64 left_;
};

// For the entries between two places of .debug_info: each has few ranges of its own.
inline u64 range_limit(u64 begin, u64 end) { return 64 + 16 * (end - begin); }

// Which unit an address belongs to. LLVM's rule where several claim it: the unit of the range
// before goes on as long as it claims the address too, then the first in the file.
class UnitRanges {
 public:
  static constexpr u32 none = ~u32{0};

  void add(u32 unit, std::span<const Range> ranges);
  void build();

  struct Part {
    Range range;  // holds the address
    u32 unit = none;
  };
  Part find(u64 address) const;

 private:
  struct Edge {
    u64 address;
    u32 unit;
    bool begins;
  };
  std::vector<Edge> edges_;
  std::vector<Part> parts_;
};

// Calls each(unit offset, range) for the sets of .debug_aranges, up to the first broken set, and
// covered(unit offset) for every set: those units' own ranges do not count.
struct ArangeSet {
  u64 unit_offset = 0;
  std::vector<Range> ranges;
};
std::vector<ArangeSet> read_aranges(Bytes section);

}  // namespace pgokit::dwarf
