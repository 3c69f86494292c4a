#include "samples/branch_sums.h"

#include <algorithm>
#include <span>

#include "base/parallel.h"
#include "samples/branch_folder.h"

namespace pgokit::samples {

BinaryAddr BranchSums::address(Place place) const {
  return place == BranchFolder::outside() ? external : code_->address_of(binary::CodeIndex(place));
}

std::vector<RangeCount> BranchSums::possible_ranges(unsigned threads) const {
  constexpr size_t at_once = 8192;
  std::vector<std::vector<RangeCount>> parts((ranges_.size() + at_once - 1) / at_once);
  parallel_for(parts.size(), threads, [&](size_t part, unsigned) {
    auto some = std::span(ranges_).subspan(part * at_once);
    for (const auto& range : some.first(std::min(some.size(), at_once))) {
      bool inside = range.start != BranchFolder::outside() && range.last != BranchFolder::outside();
      auto start = binary::CodeIndex(range.start), last = binary::CodeIndex(range.last);
      if (inside && code_->falls_through(start, last))
        parts[part].push_back({address(range.start), address(range.last), range.count});
    }
  });
  std::vector<RangeCount> ranges;
  ranges.reserve(ranges_.size());
  for (const auto& part : parts) ranges.insert(ranges.end(), part.begin(), part.end());
  return ranges;
}

// Those from outside come first, by address.
std::vector<BranchCount> BranchSums::branches() const {
  std::vector<BranchCount> branches;
  branches.reserve(branches_.size());
  auto from_outside =
      std::ranges::lower_bound(branches_, BranchFolder::outside(), {}, &Branch::from);
  auto add = [&](auto begin, auto end) {
    for (const auto& branch : std::ranges::subrange(begin, end))
      branches.push_back({address(branch.from), address(branch.to), branch.count});
  };
  add(from_outside, branches_.end());
  add(branches_.begin(), from_outside);
  return branches;
}

Counts BranchSums::counts(unsigned threads) const { return {possible_ranges(threads), branches()}; }

}  // namespace pgokit::samples
