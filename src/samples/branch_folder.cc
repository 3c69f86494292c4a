#include "samples/branch_folder.h"

namespace pgokit::samples {
namespace {

u32 upper(u64 pair) { return static_cast<u32>(pair >> 32); }
u32 lower(u64 pair) { return static_cast<u32>(pair); }

}  // namespace

void BranchFolder::merge(const BranchFolder& other) {
  ranges_.merge(other.ranges_);
  branches_.merge(other.branches_);
}

BinaryAddr BranchFolder::address(Place place) const {
  return place == outside() ? external : code_->address_of(binary::CodeIndex(place));
}

std::vector<BranchFolder::RawRange> BranchFolder::raw_ranges() const {
  std::vector<RawRange> all;
  ranges_.for_each([&](u64 pair, u64 count) { all.push_back({upper(pair), lower(pair), count}); });
  return all;
}

Counts BranchFolder::counts() const {
  Counts counts;
  ranges_.for_each([&](u64 pair, u64 count) {
    Place start = upper(pair), last = lower(pair);
    if (start == outside() || last == outside()) return;
    if (code_->falls_through(binary::CodeIndex(start), binary::CodeIndex(last)))
      counts.ranges.push_back({address(start), address(last), count});
  });
  branches_.for_each([&](u64 pair, u64 count) {
    counts.branches.push_back({address(upper(pair)), address(lower(pair)), count});
  });
  normalize(counts);
  return counts;
}

}  // namespace pgokit::samples
