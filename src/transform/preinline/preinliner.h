#pragma once

// Decides for a context-sensitive profile which contexts the compiler shall inline, function by
// function from callers to callees. What is not inlined is added to the function's own profile.
//
//   preinline(profile, &sizes, {.cold_count = cold, .upper_count = hottest});
//   // contexts of more than one frame are those to be inlined, with should_be_inlined
//   profile = preinline(std::move(samples), &sizes, options, threads);
//
// Order: docs/llvm-profgen.md names the steps. Source of truth:
// llvm/tools/llvm-profgen/CSPreInliner.cpp.

#include "generate/context/context_samples.h"
#include "transform/preinline/inline_rules.h"
#include "transform/preinline/inline_sizes.h"

namespace pgokit::transform {

// In a tree that is rearranged. `sizes`: null: the number of places in the body stands for a
// function's size.
void preinline(profile::Profile& profile, const InlineSizes* sizes,
               const PreinlineOptions& options);

// The same over columns. Contexts are visited as ContextGroups; inlined or not, each ends up in one
// context of the result, and the rows of those are added up on all cores, once it is decided which
// stay. Where recursion was not compressed the result of llvm-profgen depends on how it moves
// contexts: those samples go into a tree.
profile::Profile preinline(generate::ContextSamples samples, const InlineSizes* sizes,
                           const PreinlineOptions& options, unsigned threads);

}  // namespace pgokit::transform
