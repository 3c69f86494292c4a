#include "transform/preinline/context_sums.h"

#include <algorithm>
#include <utility>

namespace pgokit::transform {

ContextSums::ContextSums(const generate::ContextSamples& samples, unsigned threads)
    : samples_(samples),
      workers_(worker_count(threads)),
      queue_(threads, [this](Batch& batch, unsigned worker) { sum(batch, worker); }) {}

void ContextSums::add(Members members) {
  constexpr size_t enough = 4096;
  next_.lists.push_back(members);
  next_.contexts += members.size();
  if (next_.contexts < enough) return;
  Batch behind{.first = next_.first + next_.lists.size(), .contexts = 0, .lists = {}};
  queue_.push(std::exchange(next_, std::move(behind)));
}

std::vector<profile::FunctionSamples> ContextSums::finish() {
  size_t count = next_.first + next_.lists.size();
  queue_.push(std::move(next_));
  queue_.finish();
  std::vector<profile::FunctionSamples> functions(count);
  for (auto& worker : workers_)
    if (worker)
      for (auto& [first, some] : worker->functions)
        std::ranges::move(some, functions.begin() + static_cast<i64>(first));
  return functions;
}

void ContextSums::sum(const Batch& batch, unsigned worker) {
  auto& mine = workers_[worker] ? *workers_[worker] : workers_[worker].emplace(samples_);
  auto& functions = mine.functions.emplace_back(batch.first, 0).second;
  functions.reserve(batch.lists.size());
  for (const auto& list : batch.lists) {
    mine.sums.add(list);
    functions.push_back(mine.sums.take());
  }
}

}  // namespace pgokit::transform
