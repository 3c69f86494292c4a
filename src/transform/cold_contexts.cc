#include "transform/cold_contexts.h"

#include <algorithm>
#include <deque>

namespace pgokit::transform {
namespace {

using profile::ContextId;

ContextId last_frames(profile::Contexts& contexts, ContextId context, u32 frames) {
  std::vector<ContextId> last;  // from the leaf on
  for (auto id = context; id != ContextId::none && last.size() < frames;
       id = contexts.node(id).parent)
    last.push_back(id);
  auto result = ContextId::none;
  for (size_t i = last.size(); i-- > 0;) {
    auto node = contexts.node(last[i]);
    result = contexts.child(result, i + 1 == last.size() ? profile::LineLocation{} : node.call_site,
                            node.function);
  }
  return result;
}

// Attributes speak of one context, not of several.
void add(profile::FunctionSamples& into, profile::FunctionSamples& from) {
  u32 attributes = into.attributes;
  merge(into, from);
  into.attributes = attributes;
}

}  // namespace

void trim_cold_contexts(profile::Profile& profile, const ColdContextOptions& options) {
  if ((!options.trim && !options.merge) || options.hot_count == 0) return;
  auto is_cold = [&](const profile::FunctionSamples& samples) {
    return samples.total < options.hot_count;
  };
  auto is_base = [&](ContextId context) {
    return profile.contexts.node(context).parent == ContextId::none;
  };
  std::vector<u32> place;  // by context: 1 + where it is in `sums`
  std::deque<profile::Function> sums;
  for (auto& [context, samples] : profile.functions()) {
    if (!options.merge || !is_cold(samples)) continue;
    auto last = last_frames(profile.contexts, context, std::max(options.frames, 1u));
    place.resize(profile.contexts.end());
    u32& at = place[static_cast<size_t>(last)];
    if (at == 0) {
      sums.push_back({last, {}});
      sums.back().samples.name = samples.name;
      at = static_cast<u32>(sums.size());
    }
    add(sums[at - 1].samples, samples);
  }
  bool base_only = options.base_only && !options.merge;
  profile.keep_if([&](const profile::Function& function) {
    return !is_cold(function.samples) || (base_only && !is_base(function.context));
  });
  for (auto& [context, samples] : sums) {
    auto* kept = profile.find(context);
    if (!kept && options.trim && is_cold(samples)) continue;
    if (kept)
      add(*kept, samples);
    else
      profile.function(context) = std::move(samples);
  }
}

}  // namespace pgokit::transform
