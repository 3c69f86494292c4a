#include "generate/context/context_records.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "base/free_memory.h"
#include "base/parallel.h"

namespace pgokit::generate {

ContextRecords::ContextRecords(std::vector<ContextPool> pools, size_t contexts, unsigned threads)
    : end_(contexts) {
  parallel_for(pools.size(), threads, [&](size_t i, unsigned) {
    const auto& runs = pools[i].runs_;
    for (size_t run = 0; run < runs.size(); ++run)
      std::atomic_ref(end_[runs[run].context])
          .fetch_add(pools[i].end(run) - runs[run].begin, std::memory_order_relaxed);
  });
  find_places(threads);
  parallel_for(pools.size(), threads, [&](size_t i, unsigned) {
    auto& pool = pools[i];
    for (size_t run = 0; run < pool.runs_.size(); ++run) {
      const auto& [context, begin] = pool.runs_[run];
      u32 size = pool.end(run) - begin;
      u32 at = std::atomic_ref(end_[context]).fetch_add(size, std::memory_order_relaxed);
      std::copy_n(pool.words_.data() + begin, size, words_.data() + first_of_block(context) + at);
    }
    free_memory_of(pool);
  });
  return_free_memory();
}

// From sizes to where the next words of a context go: up to the first of the one behind.
void ContextRecords::find_places(unsigned threads) {
  Chunks blocks{end_.size(), size_t{1} << block_bits};
  first_of_block_.resize(blocks.count());
  parallel_for(blocks.count(), threads, [&](size_t block, unsigned) {
    u32 sum = 0;
    for (u32& end : blocks.of(end_, block)) end = std::exchange(sum, sum + end);
    first_of_block_[block] = sum;
  });
  u64 sum = 0;
  for (u64& first : first_of_block_) first = std::exchange(sum, sum + first);
  words_.resize(sum);
}

}  // namespace pgokit::generate
