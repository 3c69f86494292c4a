#pragma once

// Counts steps: a straight range of code and the branch that ends it.
//
//   StepCounter counter;
//   for (const auto& step : some) hashes.push_back(counter.prefetch(step));
//   counter.make_room(some.size());
//   if (counter.find(step, hash, slot)) counter.add_known(slot, weight);
//   else counter.add(step, weight);                        // never seen
//
// A range determines where its branch goes, unless that is a return or an indirect one, so there
// are hardly more steps than ranges or branches, and one look-up (one cache miss) counts both. Sums
// are modulo 2^64.

#include <tsl/robin_map.h>

#include <vector>

#include "base/hash.h"
#include "base/types.h"

namespace pgokit::samples {

// Places of instructions, see BranchFolder: what ran is `start` to `from`, then the branch to `to`.
struct Step {
  u32 start = ~u32{0}, from = ~u32{0}, to = ~u32{0};
  bool operator==(const Step&) const = default;
};

class StepCounter {
 public:
  StepCounter() : slots_(64), mask_(slots_.size() - 1) {}

  // Asks for the step's slot, which is most often a cache miss. Its hash, for find().
  size_t prefetch(const Step& step) const {
    size_t hash = StepCounter::hash(step);
    __builtin_prefetch(&slots_[hash & mask_]);
    return hash;
  }

  // So many additions do not move slots.
  void make_room(size_t steps) {
    while (8 * (size_ + steps) > 7 * slots_.size()) [[unlikely]]
      grow();
  }
  // Whether the step is there; the slot where it is, or would be put. No step has both ends of its
  // branch outside.
  bool find(const Step& step, size_t hash, size_t& slot) const {
    for (size_t at = hash;; ++at) {
      slot = at & mask_;
      const Step& there = slots_[slot].step;
      if (there == step) return true;
      if (there == Step{}) return false;
    }
  }
  void add_known(size_t slot, u64 weight) {
    u64 sum = slots_[slot].count + weight;
    if (sum < weight || sum >> 32) [[unlikely]]
      large_[slots_[slot].step] += (sum >> 32) + (u64{sum < weight} << 32);
    slots_[slot].count = static_cast<u32>(sum);
  }
  // There is room.
  void add(const Step& step, u64 weight) {
    size_t slot;
    if (!find(step, hash(step), slot)) {
      slots_[slot].step = step;
      ++size_;
    }
    add_known(slot, weight);
  }

  void merge(const StepCounter& other);
  size_t size() const { return size_; }

  // In no particular order.
  template <class Each>
  void for_each(Each&& each) const {
    for (const auto& slot : slots_)
      if (slot.step != Step{}) each(slot.step, count_of(slot));
  }

 private:
  struct Slot {
    Step step;
    u32 count = 0;  // its lower half
  };
  struct Hash {
    size_t operator()(const Step& step) const { return hash(step); }
  };
  static size_t hash(const Step& step) {
    return IntHash{}((u64{step.start} << 32 | step.from) ^ step.to * 0xd6e8feb86659fd93u);
  }
  u64 count_of(const Slot& slot) const {
    auto large = large_.empty() ? large_.end() : large_.find(slot.step);
    return slot.count + (large == large_.end() ? 0 : large->second << 32);
  }
  void grow();

  std::vector<Slot> slots_;  // at most seven eighths of them full
  size_t mask_, size_ = 0;
  tsl::robin_map<Step, u64, Hash> large_;  // upper halves of counts
};

}  // namespace pgokit::samples
