#include "generate/context/context_samples.h"

#include <algorithm>

#include "base/parallel.h"
#include "base/saturated.h"

namespace pgokit::generate {
namespace {

// The first place of a context, and its count.
void find_first_place(ContextSamples& samples, u32 id) {
  const auto& locations = samples.locations;
  u32 first = ContextSamples::none;
  u64 sum = 0;
  auto take = [&](u32 location, u64 count) {
    if (location == first) return void(sum = add_saturated(sum, count));
    if (first != ContextSamples::none && locations[first] < locations[location]) return;
    first = location;
    sum = count;
  };
  samples.records.read(
      id, take, [&](u32 location, NameId, u64) { take(location, 0); },
      [&](u32 list) {
        if (auto listed = samples.listed(list); !listed.empty()) take(listed[0], 0);
      });
  samples.contexts[id].first_location = first;
  samples.counts.set(samples.contexts[id].entries, sum);
}

// What the targets of a context say of its children.
void share_targets(ContextSamples& samples, u32 id) {
  auto children = samples.children(id);
  auto key_of = [&](u32 child) { return samples.calls[samples.contexts[child].call].key; };
  auto share = [&](u32 location, NameId callee, u64 count) {
    u64 key = samples.key(callee, samples.locations[location]);
    auto child = std::ranges::lower_bound(children, key, {}, key_of);
    if (child == children.end() || key_of(*child) != key) {
      samples.contexts[id].set(ContextSamples::has_other_calls);
      return;
    }
    samples.counts.add(samples.contexts[*child].called, count);
  };
  samples.records.read(id, [](u32, u64) {}, share, [](u32) {});
}

}  // namespace

void ContextSamples::finish(unsigned threads) {
  constexpr size_t at_once = 1 << 14;
  parallel_each(size(), at_once, threads, [&](size_t id, unsigned) {
    if ((contexts[id].flags & (has_samples | entered)) == has_samples)
      find_first_place(*this, static_cast<u32>(id));
    share_targets(*this, static_cast<u32>(id));
  });
}

}  // namespace pgokit::generate
