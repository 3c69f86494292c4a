#include "transform/context_summary.h"

#include <algorithm>

#include "base/flat_map.h"
#include "base/parallel.h"
#include "base/saturated.h"

namespace pgokit::transform {
namespace {

u64 key(NameId function, u32 thing) { return u64{static_cast<u32>(function)} << 32 | thing; }

// What some contexts add up to, by function.
class FunctionSums {
 public:
  void add(const generate::ContextSamples& samples, u32 id) {
    if (!(samples.contexts[id].flags & generate::ContextSamples::has_samples)) return;
    lists_.resize(samples.lists.size());
    NameId function = samples.function(id);
    add_head(function, samples.head(id));
    samples.records.read(
        id, [&](u32 location, u64 count) { add_place(key(function, location), count); },
        [&](u32 location, NameId, u64) { add_place(key(function, location), 0); },
        [&](u32 list, u64 count) { add_list(list, count, true); });
  }
  void add(const FunctionSums& other) {
    other.heads_.for_each([&](u64 function, u64 head) { add_head(NameId(function), head); });
    other.places_.for_each([&](u64 place, u64 count) { add_place(place, count); });
    lists_.resize(std::max(lists_.size(), other.lists_.size()));
    for (size_t i = 0; i < other.lists_.size(); ++i)
      add_list(i, other.lists_[i].count, other.lists_[i].seen);
  }
  profile::Summary finish(const generate::ContextSamples& samples) {
    for (u32 list = 0; list < lists_.size(); ++list) {
      if (!lists_[list].seen) continue;
      const auto& [end, whole, function] = samples.lists[list];
      for (u32 location : samples.listed(whole)) add_place(key(function, location), 0);
      for (u32 location : samples.listed(list))
        add_place(key(function, location), lists_[list].count);
    }
    profile::SummaryBuilder builder;
    heads_.for_each([&](u64, u64 head) { builder.add_function(head); });
    places_.for_each([&](u64, u64 count) { builder.add_place(count); });
    return builder.finish();
  }

 private:
  struct ListSum {
    u64 count = 0;
    bool seen = false;
  };
  void add_head(NameId function, u64 head) {
    u64& sum = heads_[static_cast<u32>(function)];
    sum = add_saturated(sum, head);
  }
  void add_place(u64 place, u64 count) {
    u64& sum = places_[place];
    sum = add_saturated(sum, count);
  }
  void add_list(size_t list, u64 count, bool seen) {
    lists_[list].count = add_saturated(lists_[list].count, count);
    lists_[list].seen |= seen;
  }

  FlatMap<u64> heads_;   // by function
  FlatMap<u64> places_;  // by function and location
  std::vector<ListSum> lists_;
};

}  // namespace

profile::Summary summarize(const generate::ContextSamples& samples, unsigned threads) {
  constexpr size_t at_once = 1 << 14;
  std::vector<FunctionSums> of_worker(worker_count(threads));
  parallel_each(samples.size(), at_once, threads, [&](size_t id, unsigned worker) {
    of_worker[worker].add(samples, static_cast<u32>(id));
  });
  for (size_t i = 1; i < of_worker.size(); ++i) of_worker[0].add(of_worker[i]);
  return of_worker[0].finish(samples);
}

}  // namespace pgokit::transform
