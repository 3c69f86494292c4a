#pragma once

// Corrects an instrumentation profile by a sample profile: functions that are cold in the first and
// not in the second, because the instrumented program did not run what users run. Their counts are
// raised until they are hot or warm; where most of them are zero, they are only marked as such.
//
//   for (const auto& name : transform::supplement(counted, samples, {})) warn(name);
//
// Samples of inlinees count for the function that they were inlined into, unless the profile
// has them as functions of their own.
// Source of truth: llvm/tools/llvm-profdata/llvm-profdata.cpp (adjustInstrProfile).

#include "instr_profile/model/profile.h"
#include "profile/model/profile.h"
#include "profile/model/summary.h"

namespace pgokit::transform {

struct SupplementOptions {
  u64 least_counters = 10;  // functions with fewer are inlined anyway, and left alone
  float most_zeros = 0.7F;  // share of counters, above which a function is only marked
  u64 cold_count = 0;       // in place of the one of the summary, unless 0
};

struct Samples {
  const profile::Profile& profile;
  const profile::Summary& summary;
};

// The names of static functions that several files have, so that they were left alone.
std::vector<std::string> supplement(instr_profile::Profile& counted, const Samples& samples,
                                    const SupplementOptions& options);

}  // namespace pgokit::transform
