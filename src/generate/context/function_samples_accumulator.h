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
      : samples_(samples), sums_(samples.locations.size()), list_sums_(samples.lists.size()) {}

  void add(std::span<const u32> contexts);
  // Different places so far.
  size_t places() {
    add_lists();
    return seen_.size();
  }
  // What was added, sorted; begins anew.
  profile::FunctionSamples take();
  void clear();

 private:
  void add(u32 context);
  void add_lists();
  void clear_lists();
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
  static Sum& sum_of(u32 thing, std::vector<Sum>& sums, std::vector<u32>& seen) {
    auto& sum = sums[thing];
    if (!sum.seen) {
      sum.seen = true;
      seen.push_back(thing);
    }
    return sum;
  }
  Sum& at(u32 location) { return sum_of(location, sums_, seen_); }
  void add_row(u32 location, u64 count) {
    u64& sum = at(location).count;
    sum = add_saturated(sum, count);
    if (samples_.totals_are_sums) total_ = add_saturated(total_, count);
  }
  void take_body(profile::FunctionSamples& into);
  void take_targets(profile::FunctionSamples& into);

  const ContextSamples& samples_;
  std::vector<Sum> sums_;  // by location
  std::vector<u32> seen_;
  // The same of lists, until all that use them are there.
  std::vector<Sum> list_sums_;
  std::vector<u32> lists_seen_;
  std::vector<Target> targets_;
  u64 total_ = 0, head_ = 0;
};

}  // namespace pgokit::generate
