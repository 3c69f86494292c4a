#pragma once

// The samples of lists of contexts, each list added up to one function, by threads that begin while
// more lists are still being found.
//
//   ContextSums sums(samples, threads);
//   sums.add(contexts);                  // the lists have to last until finish()
//   std::vector<profile::FunctionSamples> functions = sums.finish();    // in the order of add()

#include <optional>

#include "base/work_queue.h"
#include "generate/context/function_samples_accumulator.h"

namespace pgokit::transform {

class ContextSums {
 public:
  using Members = std::span<const u32>;

  ContextSums(const generate::ContextSamples& samples, unsigned threads);
  void add(Members members);
  std::vector<profile::FunctionSamples> finish();

 private:
  // Lists one behind the other, enough of them to be worth handing over.
  struct Batch {
    size_t first = 0, contexts = 0;
    std::vector<Members> lists;
  };
  struct Worker {
    explicit Worker(const generate::ContextSamples& samples) : sums(samples) {}

    generate::FunctionSamplesAccumulator sums;
    // Of batches, each by the number of its first one.
    std::vector<std::pair<size_t, std::vector<profile::FunctionSamples>>> functions;
  };
  void sum(const Batch& batch, unsigned worker);

  const generate::ContextSamples& samples_;
  Batch next_;
  std::vector<std::optional<Worker>> workers_;
  WorkQueue<Batch> queue_;
};

}  // namespace pgokit::transform
