#include "record/software/pass_times.h"

#include <algorithm>
#include <vector>

namespace pgokit::record {

// Of a long window those soon after its beginning, which is where it has its weight for.
double cycles_of_pass(std::span<const u32> ends) {
  constexpr size_t fewest = 4, cold = 32, enough = 32;
  constexpr u64 most = 2;
  if (ends.size() < fewest) return 0;
  std::vector<u64> passes;
  u32 begun = ends[0];
  for (u32 end : ends.subspan(1)) {
    passes.push_back(end - (end < begun ? 0 : begun));
    begun = end;
  }
  std::span<u64> warm = std::span(passes).subspan(std::min(cold, passes.size() / 2));
  warm = warm.first(std::min(warm.size(), enough));
  std::vector<u64> sorted(warm.begin(), warm.end());
  auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
  std::ranges::nth_element(sorted, middle);
  u64 cycles = 0;
  for (u64 pass : warm) cycles += std::min(pass, most * *middle);
  return static_cast<double>(cycles) / static_cast<double>(warm.size());
}

}  // namespace pgokit::record
