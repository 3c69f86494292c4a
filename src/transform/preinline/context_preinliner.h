#pragma once

// The pre-inliner over columns: what preinline() does to a Profile, where samples of contexts are
// added up only once it is decided which stay.
//
//   profile::Profile profile = preinline(std::move(samples), &sizes, options, threads);
//
// The contexts are visited as ContextGroups; inlined or not, each ends up in one context of the
// result, and the rows of those are added up on all cores. Where recursion was not compressed the
// judge's result depends on how it moves contexts: those samples go the way of a Profile.

#include "generate/context/context_samples.h"
#include "transform/preinline/preinliner.h"

namespace pgokit::transform {

profile::Profile preinline(generate::ContextSamples samples, const InlineSizes* sizes,
                           const PreinlineOptions& options, unsigned threads);

}  // namespace pgokit::transform
