#pragma once

// Decides for a context-sensitive profile which contexts the compiler shall inline, function by
// function from callers to callees. What is not inlined is added to the function's own profile.
//
//   preinline(profile, &sizes, {.cold_count = cold, .upper_count = hottest});
//   // contexts of more than one frame are those to be inlined, with should_be_inlined
//
// Order: docs/llvm-profgen.md names the steps. Source of truth:
// llvm/tools/llvm-profgen/CSPreInliner.cpp.

#include "transform/preinline/inline_rules.h"
#include "transform/preinline/inline_sizes.h"

namespace pgokit::transform {

// `sizes`: null: the number of places in the body stands for a function's size.
void preinline(profile::Profile& profile, const InlineSizes* sizes,
               const PreinlineOptions& options);

}  // namespace pgokit::transform
