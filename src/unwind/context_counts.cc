#include "unwind/context_counts.h"

#include <algorithm>
#include <atomic>
#include <numeric>

#include "base/sort_and_sum.h"

namespace pgokit::unwind {

ContextCounts::ContextCounts(Kind kind, UninitializedVector<Entry> entries,
                             std::vector<Columns> columns)
    : kind_(kind),
      entries_(std::move(entries)),
      columns_(std::move(columns)),
      unread_(columns_.size()) {
  for (const auto& entry : entries_) ++unread_[entry.columns];
}

u64 ContextCounts::range_count() const {
  u64 sum = 0;
  for (const auto& entry : entries_) sum += entry.ranges;
  return sum;
}

u64 ContextCounts::branch_count() const {
  u64 sum = 0;
  for (const auto& entry : entries_) sum += entry.branches;
  return sum;
}

void ContextCounts::forget(size_t begin, size_t end) {
  if (unread_.empty()) return;
  while (begin < end) {
    u32 columns = entries_[begin].columns;
    u32 read = 0;
    for (; begin < end && entries_[begin].columns == columns; ++begin) ++read;
    std::atomic_ref unread(unread_[columns]);
    if (unread.fetch_sub(read, std::memory_order_acq_rel) == read) columns_[columns] = {};
  }
}

void ContextCounts::normalize() {
  std::vector<u32> order(entries_.size());
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::stable_sort(order, {}, [&](u32 i) { return entries_[i].key; });

  ContextCounts sorted(kind_);
  auto& columns = sorted.columns_[0];
  columns.ranges.reserve(columns_[0].ranges.size());
  columns.branches.reserve(columns_[0].branches.size());
  for (size_t at = 0; at < order.size();) {
    const auto& first = entries_[order[at]];
    sorted.begin(first.key, first.leaf_inlined);
    auto& entry = sorted.entries_.back();
    for (; at < order.size() && entries_[order[at]].key == entry.key; ++at) {
      auto its_ranges = ranges(order[at]);
      auto its_branches = branches(order[at]);
      columns.ranges.insert(columns.ranges.end(), its_ranges.begin(), its_ranges.end());
      columns.branches.insert(columns.branches.end(), its_branches.begin(), its_branches.end());
    }
    sort_and_sum(columns.ranges, &Range::key, AddCounts{}, entry.first_range);
    sort_and_sum(columns.branches, &Branch::key, AddCounts{}, entry.first_branch);
    entry.ranges = static_cast<u32>(columns.ranges.size()) - entry.first_range;
    entry.branches = static_cast<u32>(columns.branches.size()) - entry.first_branch;
  }
  entries_ = std::move(sorted.entries_);
  columns_ = std::move(sorted.columns_);
}

}  // namespace pgokit::unwind
