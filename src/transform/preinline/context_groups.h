#pragma once

// Contexts on their way to the profiles they will be added to. The pre-inliner moves contexts, with
// all below them; those that come to the same place are a group. Nothing is moved here: a group is
// a list of contexts in the order of their arrival, of which the first one decides what cannot be
// added up.
//
//   ContextGroups groups(samples, index);
//   auto own = groups.take(function);              // all contexts that nobody inlined so far
//   for (const auto& callee : groups.split(own))   // by call site and callee, as llvm-profgen
//     if (is_hot(callee)) groups.inline_now(callee);
//
// Recursion that was not compressed has effects in llvm-profgen that are not followed here: see
// is_irregular().

#include <memory>

#include "transform/preinline/context_index.h"

namespace pgokit::transform {

class ContextGroups {
 public:
  using Members = std::span<const u32>;

  // The contexts of a callee in those of its caller.
  struct Callee {
    u32 call = 0;  // in samples.calls
    u32 group = 0;
    u32 decisive = generate::ContextSamples::none;  // the first member with samples
    Members members;
    u64 calls = 0;  // from the callers
  };

  ContextGroups(const generate::ContextSamples& samples, const ContextIndex& index);
  ~ContextGroups();
  ContextGroups(const ContextGroups&) = delete;
  ContextGroups& operator=(const ContextGroups&) = delete;

  // All contexts of a function that have not been taken or inlined yet, as they are added up; empty
  // if none has samples. Once for each function.
  Members take(NameId function);
  // Callees that have not been taken or inlined, by call, only those with samples. Once for each
  // list of members, after it was taken or inlined.
  std::vector<Callee> split(Members callers);
  void inline_now(const Callee& callee) { groups_[callee.group].inlined = true; }
  // What is left of a function that was never taken: its context without callers, if it has
  // samples.
  Members left_on_top(NameId function);

  bool is_irregular() const { return irregular_; }

 private:
  static constexpr u32 none = generate::ContextSamples::none;
  struct Group {
    u32 first, end;  // in members_
    u32 decisive;
    u32 next;  // of the same function
    bool inlined = false;
  };
  class Splitter;
  class Collector;

  bool has_samples(u32 context) const {
    return samples_.contexts[context].flags & generate::ContextSamples::has_samples;
  }
  u32 group_of(u32 position) const;
  void find_positions();
  Members append(std::span<const u32> members);

  const generate::ContextSamples& samples_;
  const ContextIndex& index_;
  std::vector<u32> members_;       // of groups, and of what was taken
  std::vector<Group> groups_;      // by first
  std::vector<bool> taken_alone_;  // by context: it was taken without being in a group
  // By context: where it stands in members_, as one of a group. Only recursion asks for it; it is
  // that of the first `positioned_` groups.
  std::vector<u32> position_;
  size_t positioned_ = 0;
  std::vector<u32> last_group_;  // by NameId
  std::vector<u32> alone_;       // by NameId: contexts that have a caller and are in no group
  std::vector<u32> top_;         // by NameId: the context without caller
  std::unique_ptr<Splitter> splitter_;
  bool irregular_ = false;
};

}  // namespace pgokit::transform
