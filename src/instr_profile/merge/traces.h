#pragma once

// Of the traces of all inputs a sample of a fixed size is kept, in which each has the same chance.
// Chance is that of a generator that begins the same way each time, and takes its steps as
// llvm-profdata's does: the result is compared byte for byte.
//
//   TraceSample sample({.most_traces = 100, .longest = 10000});
//   sample.add(std::move(facts.traces), facts.traces_seen, profile);

#include <random>

#include "instr_profile/model/profile.h"

namespace pgokit::instr_profile {

struct TraceLimits {
  u64 most_traces = 100, longest = 10000;
};

class TraceSample {
 public:
  explicit TraceSample(TraceLimits limits) : limits_(limits) {}

  void add(std::vector<Trace> traces, u64 seen, Profile& into);

 private:
  TraceLimits limits_;
  std::mt19937 random_;  // NOLINT(cert-msc*): the same numbers are wanted each time
};

}  // namespace pgokit::instr_profile
