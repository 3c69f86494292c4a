#include "generate/context/context_samples.h"

#include <algorithm>

#include "base/parallel.h"
#include "base/saturated.h"

namespace pgokit::generate {
namespace {

// The first place of a context, and its count.
void find_first_place(const ContextSamples& samples, u32 id, ContextSamples::Context& context) {
  const auto& locations = samples.locations;
  u32 first = ContextSamples::none;
  auto take = [&](u32 location) {
    if (first == ContextSamples::none || locations[location] < locations[first]) first = location;
  };
  for (const auto& row : samples.rows.of(id)) take(row.location);
  for (const auto& target : samples.targets.of(id)) take(target.location);
  for (u32 list : samples.lists.of(id))
    if (auto listed = samples.listed(list); !listed.empty()) take(listed[0]);
  context.first_location = first;
  context.entries = 0;
  for (const auto& row : samples.rows.of(id))
    if (row.location == first) context.entries = add_saturated(context.entries, row.count);
}

}  // namespace

void ContextSamples::finish(unsigned threads) {
  constexpr size_t at_once = 1 << 16;
  parallel_each(size(), at_once, threads, [&](size_t id, unsigned) {
    if ((contexts[id].flags & (has_samples | entered)) == has_samples)
      find_first_place(*this, static_cast<u32>(id), contexts[id]);
  });
  for (auto id = static_cast<u32>(size()); id-- > 1;) {
    auto& context = contexts[id];
    if (context.flags & has_samples) context.flags |= in_use;
    contexts[context.parent].flags |= context.flags & in_use;
  }
}

}  // namespace pgokit::generate
