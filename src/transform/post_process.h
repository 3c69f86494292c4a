#pragma once

// What a context-sensitive profile goes through before it is written: inlining decided in advance,
// cold contexts merged, contexts nested.
//
//   post_process_contexts(profile, summary, &sizes, {});
//
// A profile without contexts is left as it is. Order and defaults: docs/llvm-profgen.md.

#include <optional>

#include "generate/context/context_samples.h"
#include "profile/model/summary.h"
#include "transform/preinline/inline_sizes.h"
#include "transform/preinline/preinliner.h"

namespace pgokit::transform {

struct ContextOptions {
  bool preinline = true;
  bool size_of_context = true;     // inlining costs bytes of code, else places of the body
  PreinlineOptions preinliner;     // the counts in it are set from the summary
  std::optional<bool> merge_cold;  // not given: unless `preinline`
  bool trim_cold = false;          // flat profiles: cold functions
  u64 cold_frames = 1;
  bool nest = true;
  bool duplicate_into_base = false;
  u64 hot_cutoff = profile::hot_cutoff, cold_cutoff = profile::cold_cutoff;  // per million
  i64 hot_count = -1, cold_count = -1;  // counts in place of those at the cutoffs, unless negative

  u64 hot_threshold(const profile::Summary& summary) const {
    return hot_count >= 0 ? static_cast<u64>(hot_count)
                          : summary.count_at(static_cast<u32>(hot_cutoff));
  }
  u64 cold_threshold(const profile::Summary& summary) const {
    return cold_count >= 0 ? static_cast<u64>(cold_count)
                           : summary.count_at(static_cast<u32>(cold_cutoff));
  }
  bool needs_sizes() const { return preinline && size_of_context; }
};

// `summary`: of the profile as it is. `sizes`: null only where options.needs_sizes() is false.
void post_process_contexts(profile::Profile& profile, const profile::Summary& summary,
                           const InlineSizes* sizes, const ContextOptions& options);
// The same of samples in columns; what is inlined is decided before there are profiles of contexts.
profile::Profile post_process_contexts(generate::ContextSamples samples,
                                       const profile::Summary& summary, const InlineSizes* sizes,
                                       const ContextOptions& options, unsigned threads);

// Marks every function and inlinee as to be inlined.
void mark_all_to_be_inlined(profile::Profile& profile);

}  // namespace pgokit::transform
