#pragma once

#include "base/types.h"

namespace pgokit::record {

// [start, end) of a program's code, in the address space of its process.
struct CodeRange {
  u64 start = 0, end = 0;
  bool contains(u64 address) const { return address >= start && address < end; }
  bool overlaps(const CodeRange& other) const { return start < other.end && other.start < end; }
  bool operator==(const CodeRange&) const = default;
};

}  // namespace pgokit::record
