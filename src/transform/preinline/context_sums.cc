#include "transform/preinline/context_sums.h"

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
      for (auto& [number, function] : worker->functions) functions[number] = std::move(function);
  return functions;
}

void ContextSums::sum(const Batch& batch, unsigned worker) {
  auto& mine = workers_[worker] ? *workers_[worker] : workers_[worker].emplace(samples_);
  for (size_t i = 0; i < batch.lists.size(); ++i) {
    mine.sums.add(batch.lists[i]);
    mine.functions.emplace_back(batch.first + i, mine.sums.take());
  }
}

}  // namespace pgokit::transform
