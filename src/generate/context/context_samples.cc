#include "generate/context/context_samples.h"

#include <algorithm>

#include "base/parallel.h"
#include "base/saturated.h"

namespace pgokit::generate {
namespace {

class Finisher {
 public:
  explicit Finisher(ContextSamples& samples) : samples_(samples) {}

  void finish(u32 id) {
    auto& context = samples_.contexts[id];
    constexpr u32 kinds = ContextSamples::has_samples | ContextSamples::entered;
    wants_first_ = (context.flags & kinds) == ContextSamples::has_samples;
    first_ = ContextSamples::none;
    first_count_ = 0;
    bool counted = false;
    samples_.records.read(
        id,
        [&](u32 location, u64 count) {
          counted |= count > 0;
          take(location, count);
        },
        [&](u32 location, NameId callee, u64 count) {
          take(location, 0);
          share(id, location, callee, count);
        },
        [&](u32 list, u64 count) {
          counted |= count > 0;
          take_list(list, count);
        });
    if (samples_.totals_are_sums) samples_.counts.set(context.total, counted);
    if (!wants_first_) return;
    context.first_location = first_;
    samples_.counts.set(context.entries, first_count_);
  }

 private:
  void take(u32 location, u64 count) {
    if (!wants_first_) return;
    const auto& locations = samples_.locations;
    if (location == first_) return void(first_count_ = add_saturated(first_count_, count));
    if (first_ != ContextSamples::none && locations[first_] < locations[location]) return;
    first_ = location;
    first_count_ = count;
  }

  // The first place of the whole may be in the list, and as often as there are copies of its code.
  void take_list(u32 list, u64 count) {
    if (!wants_first_) return;
    auto whole = samples_.listed(samples_.lists[list].whole);
    if (whole.empty()) return;
    take(whole[0], 0);
    if (first_ != whole[0]) return;
    for (u32 location : samples_.listed(list))
      if (location == first_) first_count_ = add_saturated(first_count_, count);
  }

  // What a target of a context says of its children.
  void share(u32 id, u32 location, NameId callee, u64 count) {
    auto children = samples_.children(id);
    auto key_of = [&](u32 child) { return samples_.calls[samples_.contexts[child].call].key; };
    u64 key = samples_.key(callee, samples_.locations[location]);
    auto child = std::ranges::lower_bound(children, key, {}, key_of);
    if (child == children.end() || key_of(*child) != key)
      samples_.contexts[id].set(ContextSamples::has_other_calls);
    else
      samples_.counts.add(samples_.contexts[*child].called, count);
  }

  ContextSamples& samples_;
  // Of the context at hand.
  bool wants_first_ = false;
  u32 first_ = ContextSamples::none;
  u64 first_count_ = 0;
};

}  // namespace

void ContextSamples::finish(unsigned threads) {
  Chunks chunks{size(), 1 << 14};
  parallel_for(chunks.count(), threads, [&](size_t chunk, unsigned) {
    Finisher finisher(*this);
    for (size_t id = chunks.begin(chunk); id < chunks.end(chunk); ++id)
      finisher.finish(static_cast<u32>(id));
  });
}

}  // namespace pgokit::generate
