#pragma once

// Leaves out the contexts that are not worth their room in a profile.
//
//   trim_cold_contexts(profile, {.hot_count = hot, .merge = true});
//
// Source of truth: SampleContextTrimmer in llvm/lib/ProfileData/SampleProf.cpp.

#include "profile/model/profile.h"

namespace pgokit::transform {

struct ColdContextOptions {
  u64 hot_count = 0;       // contexts with a smaller total are cold; 0: none are
  bool merge = false;      // cold ones are added up by their last frames
  bool trim = false;       // what is cold after that is left out, unless others are kept there
  u32 frames = 1;          // how many frames: at least 1
  bool base_only = false;  // without `merge`: leave out contexts of one frame only
};

void trim_cold_contexts(profile::Profile& profile, const ColdContextOptions& options);

}  // namespace pgokit::transform
