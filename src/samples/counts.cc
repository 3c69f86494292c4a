#include "samples/counts.h"

#include "base/sort_and_sum.h"

namespace pgokit::samples {
void normalize(Counts& counts) {
  sort_and_sum(counts.ranges,
               [](const RangeCount& range) { return std::pair(range.start, range.last); });
  sort_and_sum(counts.branches,
               [](const BranchCount& branch) { return std::pair(branch.from, branch.to); });
}

void merge(Counts& into, const Counts& from) {
  into.ranges.insert(into.ranges.end(), from.ranges.begin(), from.ranges.end());
  into.branches.insert(into.branches.end(), from.branches.begin(), from.branches.end());
  normalize(into);
}

}  // namespace pgokit::samples
