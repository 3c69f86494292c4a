#pragma once

// Traces → the branches of a profile for BOLT: those that were taken, and for each range of code
// what fell through from block to block.
//
//   Functions functions = Functions::of(file);
//   BranchProfile made = branch_profile(file, functions, traces, threads);
//   for (const auto& row : made.rows) use(row.from, row.to, row.count);
//
// The rules are those of perf2bolt 22: returns are left out; a range is used where it lies in one
// function and can run through its blocks; one that was reached by a return begins in the block of
// the call, if that ends with it.

#include <string>
#include <vector>

#include "bolt/functions.h"
#include "bolt/traces.h"

namespace pgokit::bolt {

struct Location {
  u32 function = Functions::none;  // none: outside of all functions, then the offset is 0
  u32 offset = 0;
  auto operator<=>(const Location&) const = default;
};

struct BranchRow {
  Location from, to;
  u64 mispredicted = 0, count = 0;
};

struct BranchProfile {
  std::vector<BranchRow> rows;  // ascending by from, to
  // Of the ranges in traces, by how often they ran.
  u64 ranges = 0;
  u64 mismatching = 0;   // of these: they cannot run through the code as it is
  u64 out_of_range = 0;  // ... an end is in no function
};

BranchProfile branch_profile(const object::File& file, const Functions& functions,
                             const Traces& traces, unsigned threads);

// Samples without branch stacks.
struct AddressCount {
  BinaryAddr address;
  u64 count = 0;
};
struct AddressProfile {
  struct Row {
    Location at;
    u64 count = 0;
  };
  std::vector<Row> rows;  // ascending
  u64 samples = 0, out_of_range = 0;
};
AddressProfile address_profile(const Functions& functions, std::vector<AddressCount> counts);

}  // namespace pgokit::bolt
