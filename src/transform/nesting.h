#pragma once

// Turns contexts into inlinees: a context whose caller's context has samples too becomes part of
// it, any other a function of its own. The profile is flat afterwards.
//
//   nest_contexts(profile, {});
//   // [main:3 @ foo] is what main has at line 3 for the inlined foo
//
// Source of truth: ProfileConverter in llvm/lib/ProfileData/SampleProf.cpp.

#include "profile/model/profile.h"

namespace pgokit::transform {

struct NestingOptions {
  bool duplicate_into_base = false;  // add inlinees to the function's own profile as well
};

void nest_contexts(profile::Profile& profile, const NestingOptions& options);

}  // namespace pgokit::transform
