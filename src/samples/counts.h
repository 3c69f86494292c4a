#pragma once

// What is left of a recording once its addresses are those of the program: how often each straight
// range of code ran, and how often each branch was taken.
//
// Counts of several recordings add up, in any order and grouping, to the same sums: this is also
// what a raw ("unsymbolized") profile holds.

#include <vector>

#include "base/types.h"

namespace pgokit::samples {

// The other end of a branch into or out of the program. (No instruction lies at 1; raw profiles of
// llvm-profgen have the same number.)
inline constexpr BinaryAddr external{1};

// All instructions from `start` to `last` ran `count` times, one after the other.
struct RangeCount {
  BinaryAddr start, last;
  u64 count = 0;
  bool operator==(const RangeCount&) const = default;
};

struct BranchCount {
  BinaryAddr from, to;  // `from` may be external
  u64 count = 0;
  bool operator==(const BranchCount&) const = default;
};

// Both ascending by their addresses, each pair of addresses once.
struct Counts {
  std::vector<RangeCount> ranges;
  std::vector<BranchCount> branches;
  bool operator==(const Counts&) const = default;
};

void merge(Counts& into, const Counts& from);

// Sorts, and sums entries with the same addresses.
void normalize(Counts& counts);

}  // namespace pgokit::samples
