#include "generate/context/context_records.h"

#include <atomic>
#include <utility>

#include "base/free_memory.h"
#include "base/parallel.h"

namespace pgokit::generate {

ContextRecords::ContextRecords(std::vector<ContextPool> pools, size_t contexts, unsigned threads)
    : words_(pools.size()), end_(contexts) {
  parallel_for(pools.size(), threads, [&](size_t i, unsigned) {
    for (const auto& run : pools[i].runs_)
      std::atomic_ref(end_[run.context]).fetch_add(1, std::memory_order_relaxed);
  });
  // From here on an end is where the next run of a context goes: up to the first of the one behind.
  u32 sum = 0;
  for (u32& end : end_) end = std::exchange(sum, sum + end);
  runs_ = std::make_unique_for_overwrite<Run[]>(sum);
  parallel_for(pools.size(), threads, [&](size_t i, unsigned) {
    auto& pool = pools[i];
    for (size_t k = 0; k < pool.runs_.size(); ++k) {
      const auto& [context, list, begin] = pool.runs_[k];
      u32 end = k + 1 < pool.runs_.size() ? pool.runs_[k + 1].begin : pool.end();
      u32 at = std::atomic_ref(end_[context]).fetch_add(1, std::memory_order_relaxed);
      runs_[at] = {list, static_cast<u32>(i), begin, end - begin};
    }
    free_memory_of(pool.runs_);
    words_[i] = std::move(pool.words_);
  });
  return_free_memory();
}

}  // namespace pgokit::generate
