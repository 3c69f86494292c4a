#pragma once

// The contexts of each function, and the place of each context among all.
//
//   ContextIndex index(samples);
//   index.list_functions();
//   index.rank_all();                    // or by another thread
//   for (u32 context : index.of_function(name)) ...
//   u32 rank = index.rank(context);

#include "generate/context/context_samples.h"

namespace pgokit::transform {

class ContextIndex {
 public:
  explicit ContextIndex(const generate::ContextSamples& samples) : samples_(samples) {}

  void list_functions();
  void rank_all();

  // Ascending numbers.
  std::span<const u32> of_function(NameId function) const {
    auto at = static_cast<size_t>(function);
    return {&of_function_[first_of_function_[at]], &of_function_[first_of_function_[at + 1]]};
  }
  // The place of a context when all are gone through breadth first.
  u32 rank(u32 context) const { return ranks_[context]; }

 private:
  const generate::ContextSamples& samples_;
  std::vector<u32> first_of_function_, of_function_;
  std::vector<u32> ranks_;
};

}  // namespace pgokit::transform
