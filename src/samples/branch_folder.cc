#include "samples/branch_folder.h"

#include <algorithm>

#include "base/parallel.h"

namespace pgokit::samples {
namespace {

u32 upper(u64 pair) { return static_cast<u32>(pair >> 32); }
u32 lower(u64 pair) { return static_cast<u32>(pair); }

struct Counted {
  u64 pair, count;
};

// In the order of the code, in which neighbours are in the cache.
std::vector<Counted> sorted(const PairCounter& counter) {
  std::vector<Counted> all;
  all.reserve(counter.size());
  counter.for_each([&](u64 pair, u64 count) { all.push_back({pair, count}); });
  std::ranges::sort(all, {}, &Counted::pair);
  return all;
}

}  // namespace

BranchFolder::Added BranchFolder::end_sample(u64 weight) {
  Added added{.entries = entries_.size()};
  Place newer_from = 0;
  bool has_newer = false;
  for (const auto& entry : entries_) {
    Place from = checked(entry.from), to = checked(entry.to);
    if (from == outside() && to == outside()) {
      ++added.elsewhere;
      continue;
    }
    if (has_newer) ranges_.add(pair(to, newer_from), weight);
    if (to != outside()) branches_.add(pair(from, to), weight);
    newer_from = from;
    has_newer = true;
  }
  entries_.clear();
  return added;
}

BranchFolder merge(std::vector<BranchFolder> folders, unsigned threads) {
  auto counters = {&BranchFolder::ranges_, &BranchFolder::branches_};
  parallel_for(counters.size(), threads, [&](size_t i, unsigned) {
    auto counter = counters.begin()[i];
    (folders[0].*counter).flush();
    for (size_t from = 1; from < folders.size(); ++from) {
      (folders[0].*counter).merge(folders[from].*counter);
      folders[from].*counter = {};
    }
  });
  return std::move(folders[0]);
}

BinaryAddr BranchFolder::address(Place place) const {
  return place == outside() ? external : code_->address_of(binary::CodeIndex(place));
}

std::vector<BranchFolder::RawRange> BranchFolder::raw_ranges() const {
  std::vector<RawRange> all;
  for (const auto& [pair, count] : sorted(ranges_))
    all.push_back({upper(pair), lower(pair), count});
  return all;
}

std::vector<RangeCount> BranchFolder::possible_ranges() const {
  std::vector<RangeCount> ranges;
  for (const auto& [pair, count] : sorted(ranges_)) {
    Place start = upper(pair), last = lower(pair);
    if (start == outside() || last == outside()) continue;
    if (code_->falls_through(binary::CodeIndex(start), binary::CodeIndex(last)))
      ranges.push_back({address(start), address(last), count});
  }
  return ranges;
}

std::vector<BranchCount> BranchFolder::branches() const {
  std::vector<BranchCount> branches;
  for (const auto& [pair, count] : sorted(branches_))
    branches.push_back({address(upper(pair)), address(lower(pair)), count});
  return branches;
}

Counts BranchFolder::counts(unsigned threads) const {
  Counts counts;
  parallel_for(2, threads, [&](size_t i, unsigned) {
    if (i == 0)
      counts.ranges = possible_ranges();
    else
      counts.branches = branches();
  });
  normalize(counts);
  return counts;
}

}  // namespace pgokit::samples
