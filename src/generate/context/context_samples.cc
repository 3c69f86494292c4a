#include "generate/context/context_samples.h"

#include <algorithm>

#include "base/parallel.h"
#include "base/saturated.h"

namespace pgokit::generate {
namespace {

class Finisher {
 public:
  explicit Finisher(ContextSamples& samples) : samples_(samples) {}

  void finish(u32 id, bool sum_rows) {
    first_ = ContextSamples::none;
    first_count_ = total_ = 0;
    samples_.records.read(
        id,
        [&](u32 location, u64 count) {
          total_ = add_saturated(total_, count);
          take(location, count);
        },
        [&](u32 location, NameId callee, u64 count) {
          take(location, 0);
          share(id, location, callee, count);
        },
        [&](u32 list) {
          if (auto listed = samples_.listed(list); !listed.empty()) take(listed[0], 0);
        });
    auto& context = samples_.contexts[id];
    if (sum_rows) samples_.counts.set(context.total, total_);
    constexpr u32 kinds = ContextSamples::has_samples | ContextSamples::entered;
    if ((context.flags & kinds) != ContextSamples::has_samples) return;
    context.first_location = first_;
    samples_.counts.set(context.entries, first_count_);
  }

 private:
  void take(u32 location, u64 count) {
    const auto& locations = samples_.locations;
    if (location == first_) return void(first_count_ = add_saturated(first_count_, count));
    if (first_ != ContextSamples::none && locations[first_] < locations[location]) return;
    first_ = location;
    first_count_ = count;
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
  u32 first_ = ContextSamples::none;
  u64 first_count_ = 0, total_ = 0;
};

}  // namespace

void ContextSamples::finish(bool sum_rows, unsigned threads) {
  Chunks chunks{size(), 1 << 14};
  parallel_for(chunks.count(), threads, [&](size_t chunk, unsigned) {
    Finisher finisher(*this);
    for (size_t id = chunks.begin(chunk); id < chunks.end(chunk); ++id)
      finisher.finish(static_cast<u32>(id), sum_rows);
  });
}

}  // namespace pgokit::generate
