#include "transform/post_process.h"

#include "transform/cold_contexts.h"
#include "transform/nesting.h"
#include "transform/preinline/preinliner.h"

namespace pgokit::transform {
namespace {

void mark(profile::FunctionSamples& samples) {
  samples.attributes |= profile::should_be_inlined;
  for (auto& [location, inlinees] : samples.inlinees.unordered())
    for (auto& [name, inlinee] : inlinees.unordered()) mark(*inlinee);
}

PreinlineOptions preinline_options(const profile::Summary& summary, const ContextOptions& options) {
  constexpr u32 hottest = 100000;
  auto preinliner = options.preinliner;
  preinliner.cold_count = options.cold_threshold(summary);
  preinliner.upper_count = summary.count_at(hottest);
  return preinliner;
}

void trim_and_nest(profile::Profile& profile, const profile::Summary& summary,
                   const ContextOptions& options) {
  trim_cold_contexts(profile, {.hot_count = options.hot_threshold(summary),
                               .merge = options.merge_cold.value_or(!options.preinline),
                               .trim = options.trim_cold,
                               .frames = static_cast<u32>(options.cold_frames),
                               .base_only = options.preinline});
  if (options.nest) nest_contexts(profile, {options.duplicate_into_base});
}

}  // namespace

void post_process_contexts(profile::Profile& profile, const profile::Summary& summary,
                           const InlineSizes* sizes, const ContextOptions& options) {
  if (!profile.flags.context_sensitive) return;
  if (options.preinline)
    preinline(profile, options.size_of_context ? sizes : nullptr,
              preinline_options(summary, options));
  trim_and_nest(profile, summary, options);
}

profile::Profile post_process_contexts(generate::ContextSamples samples,
                                       const profile::Summary& summary, const InlineSizes* sizes,
                                       const ContextOptions& options, unsigned threads) {
  auto profile = options.preinline
                     ? preinline(std::move(samples), options.size_of_context ? sizes : nullptr,
                                 preinline_options(summary, options), threads)
                     : generate::to_profile(std::move(samples));
  trim_and_nest(profile, summary, options);
  return profile;
}

void mark_all_to_be_inlined(profile::Profile& profile) {
  for (auto& function : profile.functions()) mark(function.samples);
  profile.flags.pre_inlined = true;
}

}  // namespace pgokit::transform
