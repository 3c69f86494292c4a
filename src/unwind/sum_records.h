#pragma once

// Ranges or branches of one context, in any order, become sorted and each is there once.

#include <algorithm>

#include "base/saturated.h"
#include "unwind/context_counts.h"

namespace pgokit::unwind {

inline u64 record_key(const Range& range) {
  return u64{static_cast<u32>(range.first)} << 32 | static_cast<u32>(range.last);
}
inline u64 record_key(const Branch& branch) {
  return u64{static_cast<u32>(branch.from)} << 32 | static_cast<u32>(branch.to);
}

// What was added since `first`.
template <class Record>
void sort_and_sum(std::vector<Record>& records, size_t first) {
  auto key = [](const Record& record) { return record_key(record); };
  auto begin = records.begin() + static_cast<std::ptrdiff_t>(first);
  auto not_before = [&](const Record& a, const Record& b) { return key(a) >= key(b); };
  if (std::adjacent_find(begin, records.end(), not_before) == records.end()) return;
  std::ranges::sort(begin, records.end(), {}, key);
  auto kept = begin;
  for (auto at = begin; at != records.end(); ++at) {
    if (kept != begin && key(kept[-1]) == key(*at))
      kept[-1].count = add_saturated(kept[-1].count, at->count);
    else
      *kept++ = *at;
  }
  records.erase(kept, records.end());
}

}  // namespace pgokit::unwind
