#pragma once

// Takes inlined copies out of their callers: each becomes samples of the function's own, and what
// the caller has instead is a call.
//
//   flatten_inlinees(profile, 0);            // no inlinees at all
//   limit_contexts(profile, 3);              // contexts keep their last three frames
//
// How often an inlinee was entered is estimated from its samples (FunctionSamples::entry_estimate).
// Source of truth: ProfileConverter::flattenProfile in llvm/lib/ProfileData/SampleProf.cpp.

#include "profile/model/profile.h"

namespace pgokit::transform {

// Which of several versions of a function (checksums) is taken.
enum class Versions {
  by_content,  // one that the samples determine, whichever order they were read in
  as_in_peer,  // the first in the order of LLVM's hash table
};

// Inlinees up to `depth` levels deep stay where they are.
void flatten_inlinees(profile::Profile& profile, unsigned depth,
                      Versions versions = Versions::by_content);

// Contexts of more frames are added to those of their last `frames`, at least 1.
void limit_contexts(profile::Profile& profile, unsigned frames);

// A function's contexts added up: a profile without contexts.
void drop_contexts(profile::Profile& profile, Versions versions = Versions::by_content);

}  // namespace pgokit::transform
