#include "unwind/unwinder.h"

#include "profile/function_samples.h"

namespace pgokit::unwind {

using binary::CodeIndex;

UnwindStats Unwinder::unwind(std::span<const Place> calls, std::span<const Branch> branches,
                             u64 weight, u32 sample) {
  sample_ = sample;
  stats_ = {.branches = static_cast<u32>(branches.size())};
  valid_ = true;
  stack_.clear();
  for (Place call : calls) {
    stack_.push(call);
    left_program_ |= call == outside;
  }
  prefetch(branches);
  Place newer_source = outside;
  bool newest = true;
  for (const auto& branch : branches) {
    if (!newest) follow_range(branch.to, newer_source, weight);
    follow_branch(branch, weight);
    newer_source = branch.from;
    newest = false;
  }
  return stats_;
}

void Unwinder::prefetch(std::span<const Branch> branches) const {
  for (size_t i = 0; i < branches.size(); ++i) {
    branches_.prefetch(pair_of(branches[i].from, branches[i].to));
    if (i > 0) ranges_.prefetch(pair_of(branches[i].to, branches[i - 1].from));
  }
}

void Unwinder::follow_range(Place first, Place last, u64 weight) {
  u32 range = ranges_.id(pair_of(first, last));
  if (range == range_counts_.size()) {
    bool inside = first != outside && last != outside;
    range_counts_.push_back(0);
    range_possible_.push_back(inside && code_->falls_through(CodeIndex(first), CodeIndex(last)));
  }
  range_counts_[range] = profile::add_saturated(range_counts_[range], weight);
  if (range_possible_[range]) [[likely]]
    return range_log_.add(stack_.node(paths_), range, weight, sample_);
  if (first == outside && last == outside) return void(++stats_.paired_outside);
  stats_.unpaired_outside += first == outside || last == outside;
  valid_ = false;
}

void Unwinder::follow_branch(const Branch& branch, u64 weight) {
  u32 id = branches_.id(pair_of(branch.from, branch.to));
  if (id == effects_.size()) effects_.push_back(effect_of(branch));
  if (valid_) [[likely]]
    apply(effects_[id], branch.from);
  else
    stack_.clear();
  if (branch.to == outside) return;
  branch_log_.add(branch.from == outside ? PathTable::root : stack_.node(paths_), id, weight,
                  sample_);
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
  bool found = before != binary::no_code && code_->is_call(before);
  return found ? static_cast<Place>(before) : no_call;
}

}  // namespace pgokit::unwind
