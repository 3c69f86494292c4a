#pragma once

// Adds up the samples of contexts to those of one function.
//
//   FunctionSamplesAccumulator sums(samples);                       // one per thread
//   sums.add(contexts);
//   profile::FunctionSamples function = sums.take();

#include "generate/context/context_samples.h"

namespace pgokit::generate {

class FunctionSamplesAccumulator {
 public:
  explicit FunctionSamplesAccumulator(const ContextSamples& samples)
      : samples_(samples), sums_(samples.locations.size()) {}

  void add(std::span<const u32> contexts);
  // Different places so far.
  size_t places() const { return seen_.size(); }
  // What was added, sorted; begins anew.
  profile::FunctionSamples take();
  void clear();

 private:
  void add(u32 context);
  void prefetch(std::span<const u32> contexts, size_t at) const;
  struct Target {
    u32 location;
    NameId callee;
    u64 count;
  };
  struct Sum {
    u64 count = 0;
    bool seen = false;
  };
  Sum& at(u32 location) {
    auto& sum = sums_[location];
    if (!sum.seen) {
      sum.seen = true;
      seen_.push_back(location);
    }
    return sum;
  }
  void take_body(profile::FunctionSamples& into);
  void take_targets(profile::FunctionSamples& into);

  const ContextSamples& samples_;
  std::vector<Sum> sums_;  // by location
  std::vector<u32> seen_;
  std::vector<Target> targets_;
  u64 total_ = 0, head_ = 0;
};

}  // namespace pgokit::generate
