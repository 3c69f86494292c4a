#pragma once

// Numbers for steps, most of which are seen again soon: a straight range of code, and the branch
// that ends it.
//
//   StepTable table;
//   u32 id = table.id({begin, from, to});         // ids ascend from 0 in order of first sight
//   table.steps()[id];
//
// A range determines where its branch goes, unless that is a return or an indirect one, so there
// are hardly more steps than ranges or branches, and one look-up gives a number to both. All steps
// of a sample are known before the first one is asked for: prefetch() brings them into the cache
// together.

#include <compare>
#include <vector>

#include "base/hash.h"
#include "unwind/places.h"

namespace pgokit::unwind {

inline u64 pair_of(Place a, Place b) { return u64{a} << 32 | b; }
inline Place first_of(u64 pair) { return static_cast<u32>(pair >> 32); }
inline Place second_of(u64 pair) { return static_cast<u32>(pair); }

// What ran is `begin` to `from`, then the branch to `to`.
struct Step {
  static constexpr Place unknown = no_call - 1;  // as `begin`: no range is known before the branch

  Place begin = unknown, from = outside, to = outside;

  bool has_range() const { return begin != unknown; }
  u64 range() const { return pair_of(begin, from); }
  u64 branch() const { return pair_of(from, to); }
  auto operator<=>(const Step&) const = default;
};

class StepTable {
 public:
  StepTable() : slots_(64), mask_(slots_.size() - 1) {}

  void prefetch(const Step& step) const { __builtin_prefetch(&slots_[hash(step) & mask_]); }
  u32 id(const Step& step) {
    Slot* slot = slot_of(step);
    if (slot->id != none) [[likely]]
      return slot->id;
    if (4 * (steps_.size() + 1) > 3 * slots_.size()) {
      grow();
      slot = slot_of(step);
    }
    *slot = {step, static_cast<u32>(steps_.size())};
    steps_.push_back(step);
    return slot->id;
  }
  const std::vector<Step>& steps() const { return steps_; }

 private:
  static constexpr u32 none = ~u32{0};
  struct Slot {
    Step step;
    u32 id = none;
  };

  static u64 hash(const Step& step) {
    return IntHash{}(step.branch() ^ step.begin * u64{0xd6e8feb86659fd93});
  }
  Slot* slot_of(const Step& step) {
    for (u64 at = hash(step);; ++at) {
      Slot& slot = slots_[at & mask_];
      if (slot.id == none || slot.step == step) return &slot;
    }
  }
  void grow() {
    slots_.assign(2 * slots_.size(), {});
    mask_ = slots_.size() - 1;
    for (u32 i = 0; i < steps_.size(); ++i) *slot_of(steps_[i]) = {steps_[i], i};
  }

  std::vector<Slot> slots_;  // at most three quarters of them full
  u64 mask_;
  std::vector<Step> steps_;
};

}  // namespace pgokit::unwind
