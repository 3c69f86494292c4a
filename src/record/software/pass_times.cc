#include "record/software/pass_times.h"

#include <algorithm>
#include <vector>

namespace pgokit::record {

double cycles_at_first(std::span<const u32> ends) {
  constexpr size_t fewest = 4, enough = 33;
  constexpr u64 most = 3;
  if (ends.size() < fewest) return 0;
  std::vector<u64> passes;
  u32 begun = ends[0];
  for (u32 end : ends.first(std::min(ends.size(), enough)).subspan(1)) {
    passes.push_back(end - (end < begun ? 0 : begun));
    begun = end;
  }
  auto sorted = passes;
  auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
  std::ranges::nth_element(sorted, middle);
  u64 cycles = 0;
  for (u64 pass : passes) cycles += std::min(pass, most * *middle);
  return static_cast<double>(cycles) / static_cast<double>(passes.size());
}

}  // namespace pgokit::record
