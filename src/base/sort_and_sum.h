#pragma once

// Records of equal keys become one.
//
//   sort_and_sum(ranges, &Range::key);     // `count` of both is added, up to its largest value
//   sort_and_sum(calls, key_of, [](Call& sum, const Call& call) { sum.weight += call.weight; });

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include "base/saturated.h"

namespace pgokit {

struct AddCounts {
  void operator()(auto& sum, const auto& record) const {
    sum.count = add_saturated(sum.count, record.count);
  }
};

// Neighbours of equal keys, from `first` on.
template <class Records, class Key, class Add = AddCounts>
void sum_equal(Records& records, const Key& key, const Add& add = {}, size_t first = 0) {
  auto begin = records.begin() + static_cast<std::ptrdiff_t>(first);
  auto kept = std::ranges::adjacent_find(begin, records.end(), {}, key);
  if (kept == records.end()) return;
  for (auto at = kept + 1; at != records.end(); ++at) {
    if (std::invoke(key, std::as_const(*kept)) == std::invoke(key, std::as_const(*at)))
      add(*kept, std::as_const(*at));
    else
      *++kept = std::move(*at);
  }
  records.erase(kept + 1, records.end());
}

// Records from `first` on, in any order.
template <class Records, class Key, class Add = AddCounts>
void sort_and_sum(Records& records, const Key& key, const Add& add = {}, size_t first = 0) {
  auto begin = records.begin() + static_cast<std::ptrdiff_t>(first);
  // Short lists are often in order.
  auto not_before = [](const auto& a, const auto& b) { return !(a < b); };
  if (std::ranges::adjacent_find(begin, records.end(), not_before, key) == records.end()) return;
  std::ranges::sort(begin, records.end(), {}, key);
  sum_equal(records, key, add, first);
}

}  // namespace pgokit
