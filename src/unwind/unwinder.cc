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
  for (size_t i = 0; i < taken_.size(); ++i) follow(taken_[i], ids_[i], weight);
  for (const auto& [frame, step] : events_)
    log_.add(stack_.node(frame, paths_), step, weight, sample);
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

void Unwinder::add(const Step& step, u64 count) {
  u32 id = step_id(step);
  auto& known = known_[id];
  known.count = add_saturated(known.count, count);
  if (known.has_range || step.to != outside)
    log_.add(stack_.node(frame_of(step), paths_), id, count, 0);
}

void Unwinder::number(std::span<const Branch> branches) {
  taken_.clear();
  for (size_t i = 0; i < branches.size(); ++i) {
    Place begin = i + 1 < branches.size() ? branches[i + 1].to : Step::unknown;
    taken_.push_back({begin, branches[i].from, branches[i].to});
    steps_.prefetch(taken_.back());
  }
  ids_.clear();
  for (const auto& step : taken_) {
    ids_.push_back(step_id(step));
    __builtin_prefetch(&known_[ids_.back()]);
  }
}

u32 Unwinder::step_id(const Step& step) {
  u32 id = steps_.id(step);
  if (id == known_.size()) [[unlikely]] {
    bool inside = step.has_range() && step.begin != outside && step.from != outside;
    known_.push_back(
        {.count = 0,
         .effect = effect_of(step.from, step.to),
         .has_range = inside && code_->falls_through(CodeIndex(step.begin), CodeIndex(step.from))});
  }
  return id;
}

// Backwards: first the branch, then the range before it.
void Unwinder::follow(const Step& step, u32 id, u64 weight) {
  auto& known = known_[id];
  known.count = add_saturated(known.count, weight);
  if (valid_) [[likely]]
    apply(known.effect, step.from);
  else
    stack_.clear();
  if (known.has_range || step.to != outside) [[likely]] {
    u32 frame = frame_of(step);
    stack_.prefetch(frame, paths_);
    events_.push_back({frame, id});
  }
  if (!known.has_range && step.has_range()) [[unlikely]]
    check_range(step);
}

// One that code cannot run through.
void Unwinder::check_range(const Step& step) {
  if (step.begin == outside && step.from == outside) return void(++stats_.paired_outside);
  stats_.unpaired_outside += step.begin == outside || step.from == outside;
  valid_ = false;
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

Unwinder::Effect Unwinder::effect_of(Place from, Place to) const {
  bool from_outside = from == outside;
  auto source = CodeIndex(from);
  Place site = call_before(to);
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
