#pragma once

// Adds up the samples of contexts to those of one function.
//
//   PlaceSums sums(samples);                       // one per thread
//   for (u32 context : some) sums.add(context);
//   FunctionSamples function = sums.take();

#include "generate/context_samples.h"

namespace pgokit::generate {

class PlaceSums {
 public:
  explicit PlaceSums(const ContextSamples& samples)
      : samples_(samples), sums_(samples.locations.size()) {}

  void add(u32 context);
  // Different places so far.
  size_t places() const { return seen_.size(); }
  // What was added, sorted; begins anew.
  profile::FunctionSamples take();
  void clear();

 private:
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
  std::vector<ContextSamples::Target> targets_;
  u64 total_ = 0, head_ = 0;
};

}  // namespace pgokit::generate
