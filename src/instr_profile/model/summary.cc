#include "instr_profile/model/summary.h"

#include <algorithm>

#include "base/saturated.h"

namespace pgokit::instr_profile {

void Summary::add(const Record& record) {
  constexpr u64 not_counted = ~u64{0};
  if (record.counters.empty() || mark_of(record.counters) != Mark::none) return;
  ++functions;
  for (size_t i = 0; i < record.counters.size(); ++i) {
    u64 count = record.counters[i];
    if (count == not_counted) continue;
    add_count(count);
    u64& largest = i == 0 ? largest_entry : largest_inner;
    largest = std::max(largest, count);
  }
}

void Summary::add_count(u64 count) {
  ++counters;
  total += count;  // wraps as the tools' sum does
  largest_count = std::max(largest_count, count);
  if (count < small_.size())
    ++small_[count];
  else
    large_.push_back(count);
}

std::vector<SummaryEntry> Summary::at(std::span<const u32> cutoffs) {
  std::ranges::sort(large_, std::greater());
  std::vector<u32> sorted(cutoffs.begin(), cutoffs.end());
  std::ranges::sort(sorted);
  std::vector<SummaryEntry> entries;
  size_t next_large = 0, small = small_.size();
  u64 sum = 0, count = 0;
  u32 seen = 0;
  auto take_next = [&]() -> bool {  // the next smaller count
    u32 times = 0;
    if (next_large < large_.size()) {
      count = large_[next_large];
      while (next_large < large_.size() && large_[next_large] == count) ++next_large, ++times;
    } else {
      while (small > 0 && small_[small - 1] == 0) --small;
      if (small == 0) return false;
      count = --small;
      times = small_[small];
    }
    sum = add_saturated(sum, multiply_saturated(count, times));
    seen += times;
    return true;
  };
  for (u32 cutoff : sorted) {
    auto wanted = static_cast<u64>(static_cast<unsigned __int128>(total) * cutoff / 1000000);
    while (sum < wanted && take_next()) {
    }
    entries.push_back({cutoff, count, seen});
  }
  return entries;
}

}  // namespace pgokit::instr_profile
