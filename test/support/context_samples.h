#pragma once

// A context-sensitive profile as what it is made of, for what works on samples in columns.
//
//   auto profile = transform::preinline(test::samples_of(std::move(before)), ...);

#include "generate/context/context_order.h"

namespace pgokit::test {

inline generate::ContextSamples samples_of(profile::Profile profile) {
  using generate::ContextSamples;
  ContextSamples samples;
  samples.flags = profile.flags;
  size_t size = profile.contexts.end();
  std::vector<u8> flags(size);
  for (u32 id = 1; id < size; ++id) {
    const auto* function = profile.find(profile::ContextId{id});
    if (!function) continue;
    flags[id] = ContextSamples::has_samples;
    if (function->head) flags[id] |= ContextSamples::entered;
    if (function->attributes & profile::was_inlined) flags[id] |= ContextSamples::was_inlined;
  }
  auto nodes = profile.contexts.nodes();
  samples.names = std::move(profile.names);
  auto numbers =
      generate::order_contexts({nodes.begin(), nodes.end()}, std::move(flags), 1, samples);
  for (const auto& [id, function] : profile.functions()) {
    auto& context = samples.contexts[numbers[static_cast<u32>(id)]];
    samples.counts.set(context.entries, function.head);
    samples.counts.set(context.total, function.total);
  }
  std::vector<generate::ContextPool> pools(1);
  for (const auto& [id, function] : profile.functions()) {
    pools[0].begin(numbers[static_cast<u32>(id)]);
    for (const auto& [location, record] : function.body.unordered()) {
      u32 at = samples.locations.intern(location);
      pools[0].add_row(at, record.samples);
      if (!record.targets) continue;
      for (const auto& [callee, count] : record.targets->unordered())
        pools[0].add_target(at, callee, count);
    }
  }
  samples.records = generate::ContextRecords(std::move(pools), samples.size(), 1);
  samples.finish(1);
  return samples;
}

}  // namespace pgokit::test
