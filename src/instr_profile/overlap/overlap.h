#pragma once

// How alike two instrumentation profiles are, by the measures of `llvm-profdata overlap`:
//
//   auto overlap = TRY(compute_overlap(inputs, {}, [](const FunctionOverlap& function) {}));
//   double same = overlap.both.counts;                    // 0 to 1
//
// The overlap is the sum, over all counters, of the smaller of their shares of all counts in A and
// in B. Functions are the same by name and hash; the values of sites are compared the same way, by
// kind. The base profile is held in memory, the test profile is read function by function.
// Source of truth: `llvm-profdata overlap --instr`, by experiment.

#include <functional>

#include "instr_profile/model/record.h"

namespace pgokit::instr_profile {

// Of a profile or of a function: counts, or shares of all counts (0 to 1).
struct Amounts {
  u64 entries = 0;  // functions of a profile, counters of a function
  double counts = 0;
  std::array<double, value_kinds> values{};
};

struct FunctionOverlap {
  std::string_view name;  // during the call only
  u64 hash;
  Amounts base, test;  // counts
  Amounts both;        // shares
};

struct ProfileOverlap {
  Amounts base, test;                      // counts
  Amounts both, mismatched, only_in_test;  // shares of the test profile's counts but for `both`

  bool empty() const { return base.counts < 1 || test.counts < 1; }
};

struct OverlapOptions {
  // Of functions of IR profiles, those that were instrumented after inlining make the sums.
  bool context_sensitive = false;
  // Functions of which `take` is told: with a count of at least that in the test profile, or with
  // that in the name.
  u64 value_cutoff = ~u64{0};
  std::string_view function = {};
};

using TakeFunctionOverlap = std::function<void(const FunctionOverlap&)>;

// The sums alone where one of the two is empty().
struct OverlapInputs {
  Bytes base, test;
  std::string_view base_path, test_path;  // for messages
};
Result<ProfileOverlap> compute_overlap(const OverlapInputs& inputs, const OverlapOptions& options,
                                       const TakeFunctionOverlap& take);

}  // namespace pgokit::instr_profile
