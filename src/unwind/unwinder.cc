#include "unwind/unwinder.h"

#include "base/saturated.h"
#include "profile/model/function_samples.h"

namespace pgokit::unwind {

using program::CodeIndex;

// Three times over the branches, so that none waits for memory: what one pass wants to know of a
// table the one before has asked for.
UnwindStats Unwinder::unwind(std::span<const Place> calls, std::span<const Branch> branches,
                             u64 weight, u32 sample) {
  stats_ = {.branches = static_cast<u32>(branches.size())};
  valid_ = true;
  enter(calls);
  number(branches);
  for (size_t i = 0; i < branches.size(); ++i) {
    if (i > 0) follow_range(steps_[i].range, branches[i].to, branches[i - 1].from, weight);
    follow_branch(branches[i], steps_[i].branch);
  }
  for (const auto& event : events_)
    event.log->add(stack_.node(event.frame, paths_), event.thing, weight, sample);
  events_.clear();
  return stats_;
}

void Unwinder::enter(std::span<const Place> calls) {
  stack_.reset();
  for (Place call : calls) {
    stack_.push(call);
    left_program_ |= call == outside;
  }
}

void Unwinder::add_range(Place first, Place last, u64 count) {
  u32 range = range_id(first, last);
  range_counts_[range] = add_saturated(range_counts_[range], count);
  if (range_possible_[range]) range_log_.add(stack_.node(stack_.top(), paths_), range, count, 0);
}

void Unwinder::add_branch(const Branch& branch, u64 count) {
  if (branch.to == outside) return;
  u32 frame = branch.from == outside ? CallStack::bottom : stack_.top();
  branch_log_.add(stack_.node(frame, paths_), branch_id(branch), count, 0);
}

void Unwinder::number(std::span<const Branch> branches) {
  for (size_t i = 0; i < branches.size(); ++i) {
    branches_.prefetch(pair_of(branches[i].from, branches[i].to));
    if (i > 0) ranges_.prefetch(pair_of(branches[i].to, branches[i - 1].from));
  }
  steps_.resize(branches.size());
  for (size_t i = 0; i < branches.size(); ++i) {
    steps_[i].branch = branch_id(branches[i]);
    __builtin_prefetch(&effects_[steps_[i].branch]);
    if (i == 0) continue;
    steps_[i].range = range_id(branches[i].to, branches[i - 1].from);
    __builtin_prefetch(&range_counts_[steps_[i].range]);
  }
}

u32 Unwinder::range_id(Place first, Place last) {
  u32 range = ranges_.id(pair_of(first, last));
  if (range == range_counts_.size()) [[unlikely]] {
    bool inside = first != outside && last != outside;
    range_counts_.push_back(0);
    range_possible_.push_back(inside && code_->falls_through(CodeIndex(first), CodeIndex(last)));
  }
  return range;
}

u32 Unwinder::branch_id(const Branch& branch) {
  u32 id = branches_.id(pair_of(branch.from, branch.to));
  if (id == effects_.size()) [[unlikely]]
    effects_.push_back(effect_of(branch));
  return id;
}

void Unwinder::follow_range(u32 range, Place first, Place last, u64 weight) {
  range_counts_[range] = add_saturated(range_counts_[range], weight);
  if (range_possible_[range]) [[likely]]
    return note(range_log_, stack_.top(), range);
  if (first == outside && last == outside) return void(++stats_.paired_outside);
  stats_.unpaired_outside += first == outside || last == outside;
  valid_ = false;
}

void Unwinder::follow_branch(const Branch& branch, u32 id) {
  if (valid_) [[likely]]
    apply(effects_[id], branch.from);
  else
    stack_.clear();
  if (branch.to == outside) return;
  note(branch_log_, branch.from == outside ? CallStack::bottom : stack_.top(), id);
}

void Unwinder::apply(const Effect& effect, Place source) {
  if (effect.kind == Effect::ret) {
    stack_.push(effect.site);
    left_program_ |= effect.site == outside;
  } else if (effect.kind == Effect::call && !stack_.empty()) {
    // The caller of a sample taken while its function began or ended is not on the chain.
    if (stack_.innermost() == source) return stack_.pop();
    ++(source == outside ? stats_.mismatched_outside : stats_.mismatched_frames);
  }
}

Unwinder::Effect Unwinder::effect_of(const Branch& branch) const {
  bool from_outside = branch.from == outside;
  auto source = CodeIndex(branch.from);
  Place site = call_before(branch.to);
  bool behind_call = site != no_call;
  if (from_outside ? !behind_call : code_->is_call(source)) return {Effect::call, outside};
  if (from_outside ? behind_call : code_->is_return(source)) return {Effect::ret, site};
  return {};
}

Place Unwinder::call_before(Place place) const {
  if (place == outside) return outside;
  CodeIndex before = code_->before(CodeIndex(place));
  bool found = before != program::no_code && code_->is_call(before);
  return found ? static_cast<Place>(before) : no_call;
}

}  // namespace pgokit::unwind
