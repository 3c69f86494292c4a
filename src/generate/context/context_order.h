#pragma once

// Contexts in any order in which parents come first become those of ContextSamples, where siblings
// are neighbours.
//
//   auto numbers = order_contexts(std::move(nodes), std::move(flags), threads, samples);
//   samples.counts.set(samples.contexts[numbers[i]].entries, entries[i]);
//
// Those that have no samples and lead to none are left out: their number is that of the root.

#include "generate/context/context_samples.h"

namespace pgokit::generate {

// `nodes`: [0] is the root. `flags`: those of ContextSamples::Context. The rest is left to be set.
std::vector<u32> order_contexts(std::vector<profile::Contexts::Node> nodes, std::vector<u8> flags,
                                unsigned threads, ContextSamples& samples);

}  // namespace pgokit::generate
