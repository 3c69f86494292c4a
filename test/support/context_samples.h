#pragma once

// A context-sensitive profile as what it is made of, for what works on samples in columns.
//
//   auto profile = transform::preinline(test::samples_of(std::move(before)), ...);

#include "generate/context/context_samples.h"

namespace pgokit::test {

inline generate::ContextSamples samples_of(profile::Profile profile) {
  using generate::ContextSamples;
  ContextSamples samples;
  samples.flags = profile.flags;
  size_t size = profile.contexts.end();
  samples.contexts.resize(size);
  samples.rows = generate::ContextRows<ContextSamples::Row>(size);
  samples.targets = generate::ContextRows<ContextSamples::Target>(size);
  samples.lists = generate::ContextRows<u32>(size);
  auto each = [&](const auto& row, const auto& target) {
    for (const auto& [id, function] : profile.functions())
      for (const auto& [location, record] : function.body.unordered()) {
        u32 at = samples.locations.intern(location);
        row(static_cast<u32>(id), ContextSamples::Row{at, record.samples});
        if (!record.targets) continue;
        for (const auto& [callee, count] : record.targets->unordered())
          target(static_cast<u32>(id), ContextSamples::Target{at, callee, count});
      }
  };
  each([&](u32 id, auto) { samples.rows.expect(id, 1); },
       [&](u32 id, auto) { samples.targets.expect(id, 1); });
  samples.rows.allocate(), samples.targets.allocate(), samples.lists.allocate();
  each([&](u32 id, auto row) { samples.rows.put(id, row); },
       [&](u32 id, auto target) { samples.targets.put(id, target); });
  for (u32 id = 1; id < size; ++id) {
    const auto& node = profile.contexts.node(profile::ContextId{id});
    auto& context = samples.contexts[id];
    context = {static_cast<u32>(node.parent), node.function, node.call_site};
    const auto* function = profile.find(profile::ContextId{id});
    if (!function) continue;
    context.flags = ContextSamples::has_samples;
    if (function->head) context.flags |= ContextSamples::entered;
    if (function->attributes & profile::was_inlined) context.flags |= ContextSamples::was_inlined;
    context.entries = function->head;
    context.total = function->total;
  }
  samples.names = std::move(profile.names);
  samples.finish(1);
  return samples;
}

}  // namespace pgokit::test
