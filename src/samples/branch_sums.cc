#include "samples/branch_sums.h"

#include <algorithm>
#include <span>

#include "base/parallel.h"
#include "base/sort_and_sum.h"
#include "samples/branch_folder.h"

namespace pgokit::samples {

BinaryAddr BranchSums::address(Place place) const {
  return place == BranchFolder::outside() ? external : code_->address_of(program::CodeIndex(place));
}

std::vector<RangeCount> BranchSums::possible_ranges(unsigned threads) const {
  Chunks chunks{ranges_.size(), 8192};
  std::vector<std::vector<RangeCount>> parts(chunks.count());
  parallel_for(parts.size(), threads, [&](size_t part, unsigned) {
    for (const auto& range : chunks.of(ranges_, part)) {
      bool inside = range.start != BranchFolder::outside() && range.last != BranchFolder::outside();
      auto start = program::CodeIndex(range.start), last = program::CodeIndex(range.last);
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

namespace {

// Where code that runs on from `address` leaves its function; `address` itself where none is known.
// A function of several pieces, one behind the other, is left at its next entry.
u64 end_of_function(const program::FunctionTable& functions, u64 address) {
  const auto* first = functions.find(address);
  if (!first) return address;
  auto all = functions.ranges();
  auto next = std::ranges::upper_bound(all, address, {}, &program::FunctionRange::start);
  u64 end = first->end;
  for (; next != all.end() && next->start <= end; ++next) {
    if (next->function != first->function || functions.is_entry(*next)) return next->start;
    end = std::max(end, next->end);
  }
  return end;
}

}  // namespace

// From the last place to the first, so that what is behind a place is known when it is come to: no
// code is gone through twice.
void BranchSums::add_ranges_to_next_branch(const program::FunctionTable& functions) {
  std::vector<Range> starts;
  for (const auto& branch : branches_)
    if (branch.to != BranchFolder::outside())
      starts.push_back({branch.to, branch.to, branch.count});
  for (const auto& passed : passed_) starts.push_back({passed.to, passed.to, passed.count});
  sort_and_sum(starts, &Range::start, [](Range& sum, const Range& one) { sum.count += one.count; });
  for (size_t i = starts.size(); i-- > 0;) {
    auto at = program::CodeIndex(starts[i].start);
    u64 end = end_of_function(functions, code_->address_of(at).value);
    while (!code_->is_transfer(at)) {
      auto next = program::CodeIndex(static_cast<u32>(at) + code_->length(at));
      if (static_cast<u32>(next) >= code_->size() || !code_->is_instruction(next)) break;
      if (code_->address_of(next).value >= end) break;
      at = next;
      if (i + 1 == starts.size() || static_cast<Place>(at) != starts[i + 1].start) continue;
      at = program::CodeIndex(starts[i + 1].last);
      break;
    }
    starts[i].last = static_cast<Place>(at);
  }
  ranges_ = std::move(starts);
}

}  // namespace pgokit::samples
