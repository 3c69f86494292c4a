#pragma once

// The contexts in use from callers to callees, and by function.
//
//   ContextLinks links(samples, threads);
//   for (u32 callee : links.children(context)) ...        // in the order LLVM has them
//   for (u32 context : links.of_function(name)) ...

#include "generate/context/context_samples.h"

namespace pgokit::transform {

class ContextLinks {
 public:
  ContextLinks(const generate::ContextSamples& samples, unsigned threads);

  std::span<const u32> children(u32 context) const {
    return {&children_[first_child_[context]], &children_[first_child_[context + 1]]};
  }
  void prefetch_children(u32 context) const { __builtin_prefetch(&first_child_[context]); }
  void prefetch_first_child(u32 context) const {
    __builtin_prefetch(&children_[first_child_[context]]);
  }
  // Ascending numbers.
  std::span<const u32> of_function(NameId function) const {
    auto at = static_cast<size_t>(function);
    return {&of_function_[first_of_function_[at]], &of_function_[first_of_function_[at + 1]]};
  }
  bool is_used(NameId function) const { return !of_function(function).empty(); }
  // Once, before rank(): it has no part in what is above.
  void rank_all();
  // The place of a context when all are gone through breadth first.
  u32 rank(u32 context) const { return ranks_[context]; }

  // What children are ordered by, and told apart.
  u64 key(u32 context) const { return key(samples_.contexts[context]); }
  u64 key(NameId function, profile::LineLocation site) const;
  u64 guid(NameId function) const { return guids_[static_cast<size_t>(function)]; }

 private:
  u64 key(const generate::ContextSamples::Context& context) const {
    return key(context.function, context.site);
  }
  void hash_names();
  void link_children();
  void sort_children(unsigned threads);
  void link_functions();

  const generate::ContextSamples& samples_;
  std::vector<u64> guids_;  // by NameId, of functions in use
  std::vector<u32> first_child_, children_;
  std::vector<u32> first_of_function_, of_function_;
  std::vector<u32> ranks_;
};

}  // namespace pgokit::transform
