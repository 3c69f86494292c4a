#include "unwind/context_counts.h"

#include <algorithm>
#include <numeric>

#include "base/free_memory.h"
#include "base/sort_and_sum.h"

namespace pgokit::unwind {

void ContextCounts::forget(size_t begin, size_t end) {
  if (begin >= end) return;
  return_pages_of(
      std::span(ranges_).subspan(first_range(begin), ranges_end(end - 1) - first_range(begin)));
  return_pages_of(std::span(branches_).subspan(first_branch(begin),
                                               branches_end(end - 1) - first_branch(begin)));
}

void ContextCounts::normalize() {
  std::vector<u32> order(entries_.size());
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::stable_sort(order, {}, [&](u32 i) { return entries_[i].key; });

  UninitializedVector<Entry> entries;
  UninitializedVector<Range> sorted_ranges;
  UninitializedVector<Branch> sorted_branches;
  sorted_ranges.reserve(ranges_.size());
  sorted_branches.reserve(branches_.size());
  for (size_t at = 0; at < order.size();) {
    Entry entry = entries_[order[at]];
    entry.first_range = sorted_ranges.size();
    entry.first_branch = sorted_branches.size();
    for (; at < order.size() && entries_[order[at]].key == entry.key; ++at) {
      auto its_ranges = ranges(order[at]);
      auto its_branches = branches(order[at]);
      sorted_ranges.insert(sorted_ranges.end(), its_ranges.begin(), its_ranges.end());
      sorted_branches.insert(sorted_branches.end(), its_branches.begin(), its_branches.end());
    }
    sort_and_sum(sorted_ranges, &Range::key, AddCounts{}, entry.first_range);
    sort_and_sum(sorted_branches, &Branch::key, AddCounts{}, entry.first_branch);
    entries.push_back(entry);
  }
  entries_ = std::move(entries);
  ranges_ = std::move(sorted_ranges);
  branches_ = std::move(sorted_branches);
}

}  // namespace pgokit::unwind
