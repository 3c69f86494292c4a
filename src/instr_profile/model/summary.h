#pragma once

// What an instrumentation profile sums up to, as indexed files have it and `show` prints it.
//
//   Summary summary;
//   summary.add(record);
//   for (const auto& entry : summary.at(summary_cutoffs)) ...
//
// Source of truth: llvm/lib/ProfileData/ProfileSummaryBuilder.cpp.

#include <span>
#include <vector>

#include "instr_profile/model/record.h"

namespace pgokit::instr_profile {

// In millionths of all counts.
inline constexpr u32 summary_cutoffs[] = {10000,  100000, 200000, 300000, 400000, 500000,
                                          600000, 700000, 800000, 900000, 950000, 990000,
                                          999000, 999900, 999990, 999999};

struct SummaryEntry {
  u32 cutoff;
  u64 min_count;  // counters of at least this make `cutoff` of all counts
  u64 counters;   // so many are these
};

class Summary {
 public:
  Summary() : small_(1 << 14) {}

  // Functions that are only marked do not count.
  void add(const Record& record);
  std::vector<SummaryEntry> at(std::span<const u32> cutoffs);

  u64 functions = 0, counters = 0;
  u64 largest_entry = 0, largest_count = 0, largest_inner = 0, total = 0;

 private:
  void add_count(u64 count);

  std::vector<u32> small_;  // how many counters have each small count, which nearly all have
  std::vector<u64> large_;
};

}  // namespace pgokit::instr_profile
