#pragma once

// How alike two profiles are, by the measures of `llvm-profdata overlap`:
//
//   similarity of a function  1 - half the sum of |share of a place in A - share in B|, times
//                             1 - |share of the function in A - share in B|
//   similarity of profiles    that of the functions, weighted by the mean of their shares
//   overlap                   sum of the smaller counts / sum of the larger counts
//
// and by one of its own, for profiles with other totals:
//
//   shares in common          sum of the smaller shares that places have of all samples
//
//   Overlap overlap = compute_overlap(base, test, {});
//   double same = overlap.similarity;                      // 0 to 1
//
// Counts are those of places, inlinees included: totals that files state are not looked at.
// Source of truth: llvm/tools/llvm-profdata/llvm-profdata.cpp.

#include <limits>

#include "profile/table/columns.h"

namespace pgokit::analysis {

// Of functions or of places that are hot in A, in B, in both.
struct HotOverlap {
  u64 base = 0, test = 0, both = 0, either = 0;
};

struct FunctionOverlap {
  static constexpr u32 absent = ~u32{0};
  u32 base = absent, test = absent;  // of Columns::functions
  u64 base_samples = 0, test_samples = 0;
  u64 base_max = 0, test_max = 0;  // of one place
  u64 overlap = 0, united = 0;     // sums of the smaller and of the larger counts
  double common = 0;               // shares in common
  u64 base_unique = 0, test_unique = 0;
  double base_weight = 0, test_weight = 0;  // of all samples of the profile
  double similarity = 0;

  bool matched() const { return base != absent && test != absent; }
};

struct Overlap {
  u64 base_samples = 0, test_samples = 0;
  u64 overlap = 0, united = 0;
  u64 base_unique = 0, test_unique = 0;
  u64 base_functions = 0, test_functions = 0;
  u64 matched_functions = 0;
  HotOverlap hot_functions, hot_places;
  double similarity = 0, common = 0;
  std::vector<FunctionOverlap> functions;  // by context; those of both, of A, of B

  double sample_share() const;  // overlap of united; 0 where there are no samples
};

// What is hot: places that make so many millionths of all samples, or have so many.
struct HotRule {
  u32 cutoff = profile::hot_cutoff;
  std::optional<u64> count = {};
};

// The smallest count of a hot place; nullopt: the file's summary goes not so far.
std::optional<u64> hot_threshold(const profile::Summary& summary, const HotRule& rule = {});

// Both kinds of place and context must be the same in A and B, see comparable().
Overlap compute_overlap(const profile::Columns& base, const profile::Columns& test,
                        const HotRule& hot = {}, unsigned threads = 0);

// Lines or probes, with or without contexts: what must agree. The message has none of the paths.
Status comparable(const profile::Columns& base, const profile::Columns& test);

}  // namespace pgokit::analysis
