#pragma once

// Counts steps of contexts: a node, where a straight range of code begins, and the branch that ends
// it.
//
//   StepTable table;
//   u32 at = table.find_or_add({node, start, branch});
//   table.count(at);
//   u32 next = table.successor(at, branch, node);        // none: not after this step so far
//   if (next == StepTable::none)
//     table.follows(at, next = table.find_or_add({node, start, branch}));
//   table.count(next);
//
// A step knows two of those that have followed it: with these most of a run is counted without a
// search, 3 times as fast (of a run of lua, `perf record` of the recorder). Indices stay what they
// are.

#include <tsl/robin_map.h>

#include <array>
#include <vector>

#include "base/hash.h"

namespace pgokit::record {

class StepTable {
 public:
  static constexpr size_t most = 3 << 20;  // beyond, new ones are for the user to avoid
  static constexpr u32 none = u32(-1);

  struct Step {
    u32 node = 0, start = 0, branch = 0;
  };

  const Step& operator[](u32 at) const { return entries_[at].step; }
  u32 end() const { return static_cast<u32>(entries_.size()); }
  bool is_full() const { return entries_.size() >= most; }

  u32 find(const Step& step) const { return places_[place_of(step)]; }
  u32 find_or_add(const Step& step) {
    size_t place = place_of(step);
    if (places_[place] != none) return places_[place];
    auto at = static_cast<u32>(entries_.size());
    entries_.push_back({.step = step});
    places_[place] = at;
    if (2 * entries_.size() > places_.size()) grow();
    return at;
  }

  void count(u32 at, u32 count = 1) {
    u32& sum = entries_[at].count;
    sum += count;
    if (sum < count) [[unlikely]]
      large_[at] += u64{1} << 32;
  }
  u64 count_of(u32 at) const {
    auto large = large_.find(at);
    return entries_[at].count + (large == large_.end() ? 0 : large->second);
  }

  // The step of `branch` that comes after that at `at`, of this node.
  u32 successor(u32 at, u32 branch, u32 node) const {
    const Next& next = entries_[at].next[branch & 1];
    return next.branch == branch && entries_[next.at].step.node == node ? next.at : none;
  }
  void follows(u32 at, u32 next) {
    u32 branch = entries_[next].step.branch;
    entries_[at].next[branch & 1] = {branch, next};
  }

 private:
  struct Next {
    u32 branch = none, at = none;
  };
  struct alignas(32) Entry {
    Step step;
    u32 count = 0;  // modulo 2^32
    std::array<Next, 2> next = {};
  };

  // Where it is or may be put.
  size_t place_of(const Step& step) const {
    size_t mask = places_.size() - 1;
    u64 place = (u64{step.node} << 32 | step.start) + u64{step.branch} * 0xd6e8feb86659fd93u;
    for (size_t at = IntHash{}(place);; ++at) {
      u32 there = places_[at & mask];
      if (there == none || is(entries_[there].step, step)) return at & mask;
    }
  }
  static bool is(const Step& a, const Step& b) {
    return a.node == b.node && a.start == b.start && a.branch == b.branch;
  }
  void grow() {
    places_.assign(places_.size() * 2, none);
    for (u32 at = 0; at < entries_.size(); ++at) places_[place_of(entries_[at].step)] = at;
  }

  std::vector<Entry> entries_;
  std::vector<u32> places_ = std::vector<u32>(1024, none);  // at most half of them taken
  tsl::robin_map<u32, u64, IntHash> large_;
};

}  // namespace pgokit::record
