#pragma once

// The decisions of the pre-inliner, over any store of contexts: functions from callers to callees,
// each with the contexts of it that nobody inlined, then the hot calls of it while its size allows.
//
//   decide_inlining(store, options);
//
// A store knows how contexts are kept and moved; TreePreinliner (a Profile) and ColumnPreinliner
// (ContextSamples) are the two. Tests compare what they make of the same samples.

#include <concepts>
#include <optional>

#include "transform/preinline/call_order.h"
#include "transform/preinline/inline_rules.h"

namespace pgokit::transform {

template <class T>
concept InlineStore =
    requires(T& store, NameId function, u32 caller, u32 candidate, InlineCandidates& candidates) {
      { store.call_graph() } -> std::same_as<CallGraph>;
      // The function by itself, with all contexts of it that were not inlined. None: no samples.
      { store.take(function) } -> std::same_as<std::optional<u32>>;
      { store.size_of(caller) } -> std::same_as<u32>;
      // What `caller` calls. A candidate's `node` stays valid until the next function is taken.
      store.add_candidates(caller, candidates);
      { store.was_inlined(candidate) } -> std::same_as<bool>;
      // Returns the callee as a caller.
      { store.inline_candidate(candidate) } -> std::same_as<u32>;
    };

// Sizes are added up in 32 bits, as llvm-profgen does.
template <InlineStore Store>
void decide_inlining_into(u32 function, Store& store, const PreinlineOptions& options) {
  u32 size = store.size_of(function);
  u32 limit = growth_limit(size, options);
  InlineCandidates candidates;
  store.add_candidates(function, candidates);
  while (!candidates.empty() && size < limit) {
    auto candidate = candidates.top();
    candidates.pop();
    if (!shall_inline(candidate, store.was_inlined(candidate.node), options)) continue;
    size += candidate.size;
    store.add_candidates(store.inline_candidate(candidate.node), candidates);
  }
}

template <InlineStore Store>
void decide_inlining(Store& store, const PreinlineOptions& options) {
  auto graph = store.call_graph();
  graph.drop_calls_up_to(options.cold_count);
  for (NameId function : graph.top_down(options.sort_cycles))
    if (auto taken = store.take(function)) decide_inlining_into(*taken, store, options);
}

}  // namespace pgokit::transform
