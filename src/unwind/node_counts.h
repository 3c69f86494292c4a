#pragma once

// What was counted at each node, one after the other: its ranges and its branches, ascending, of
// the steps in the log.
//
//   NodeCounts counts(unwound, first_node);
//   for (u32 node = first_node; node < end; ++node)
//     if (counts.read(node)) use(counts.ranges(), counts.branches());

#include <algorithm>
#include <span>

#include "base/sort_and_sum.h"
#include "unwind/unwinder.h"

namespace pgokit::unwind {

class NodeCounts {
 public:
  struct Counted {
    u32 thing;  // an index of Unwound's ranges, or branches
    u32 order;  // of the first sample that it was seen in
    u64 count;
  };

  explicit NodeCounts(const Unwound& unwound, u32 first_node = 0)
      : unwound_(unwound), at_(unwound.log, first_node) {}

  // Nodes ascend. False: nothing was counted there.
  bool read(u32 node) {
    return read(node, [](const auto&) {}, [](const auto&) {});
  }
  // Both are told the StepParts of what will be read some time later, `soon` of what comes first.
  template <class Later, class Soon>
  bool read(u32 node, const Later& later, const Soon& soon) {
    if (!at_.at(node)) return false;
    ranges_.clear();
    branches_.clear();
    constexpr size_t ahead = 12;
    const auto* steps = unwound_.steps.data();
    for (; at_.at(node); at_.next()) {
      __builtin_prefetch(&steps[at_.coming(3 * ahead)]);
      later(steps[at_.coming(2 * ahead)]);
      soon(steps[at_.coming(ahead)]);
      auto [range, branch] = steps[at_.thing()];
      if (range != Unwound::none) ranges_.push_back({range, at_.order(), at_.count()});
      if (branch != Unwound::none) branches_.push_back({branch, at_.order(), at_.count()});
    }
    // Several steps may have the same range, or branch.
    sort_and_sum(ranges_, &Counted::thing, add);
    sort_and_sum(branches_, &Counted::thing, add);
    return true;
  }

  std::span<const Counted> ranges() const { return ranges_; }
  std::span<const Counted> branches() const { return branches_; }

 private:
  static void add(Counted& sum, const Counted& same) {
    sum.count = add_saturated(sum.count, same.count);
    sum.order = std::min(sum.order, same.order);
  }

  const Unwound& unwound_;
  SortedLog::Cursor at_;
  std::vector<Counted> ranges_, branches_;
};

}  // namespace pgokit::unwind
