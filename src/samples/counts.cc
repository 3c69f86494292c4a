#include "samples/counts.h"

#include <algorithm>
#include <tuple>

#include "base/saturated.h"

namespace pgokit::samples {
namespace {

auto key(const RangeCount& range) { return std::tuple(range.start, range.last); }
auto key(const BranchCount& branch) { return std::tuple(branch.from, branch.to); }

template <class Entry>
void sort_and_sum(std::vector<Entry>& entries) {
  auto by_key = [](const Entry& e) { return key(e); };
  if (!std::ranges::is_sorted(entries, {}, by_key)) std::ranges::sort(entries, {}, by_key);
  size_t kept = 0;
  for (const auto& entry : entries) {
    if (kept && key(entries[kept - 1]) == key(entry))
      entries[kept - 1].count = add_saturated(entries[kept - 1].count, entry.count);
    else
      entries[kept++] = entry;
  }
  entries.resize(kept);
}

}  // namespace

void normalize(Counts& counts) {
  sort_and_sum(counts.ranges);
  sort_and_sum(counts.branches);
}

void merge(Counts& into, const Counts& from) {
  into.ranges.insert(into.ranges.end(), from.ranges.begin(), from.ranges.end());
  into.branches.insert(into.branches.end(), from.branches.begin(), from.branches.end());
  normalize(into);
}

}  // namespace pgokit::samples
