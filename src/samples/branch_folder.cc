#include "samples/branch_folder.h"

#include <algorithm>
#include <bit>
#include <numeric>

#include "base/parallel.h"
#include "base/sort_and_sum.h"

namespace pgokit::samples {
namespace {

u64 pair(u32 a, u32 b) { return u64{a} << 32 | b; }
u32 upper(u64 pair) { return static_cast<u32>(pair >> 32); }
u32 lower(u64 pair) { return static_cast<u32>(pair); }

// Of what `for_each` gives, `most` pairs at most, in the order of the code, each pair of places
// once. Most of the work is done by buckets of neighbours, so small that little is left to sort.
template <class Summed, class ForEach>
std::vector<Summed> sorted_sums(u64 places, size_t most, const ForEach& for_each) {
  constexpr size_t usual_size = 4;
  auto width = [](u64 number) { return static_cast<int>(std::bit_width(number)); };
  int shift = std::max(0, width(places) - width(most / usual_size));
  size_t buckets = (places >> shift) + 1;
  auto bucket_of = [&](u64 pair) { return std::min<u64>(upper(pair), places) >> shift; };
  std::vector<size_t> begins(buckets + 2);
  for_each([&](u64 pair, u64) { ++begins[bucket_of(pair) + 2]; });
  std::partial_sum(begins.begin(), begins.end(), begins.begin());
  std::vector<Summed> all(begins.back());
  for_each([&](u64 pair, u64 count) {
    all[begins[bucket_of(pair) + 1]++] = {upper(pair), lower(pair), count};
  });
  auto pair_of = [](const Summed& entry) {
    const auto& [first, second, count] = entry;
    return pair(first, second);
  };
  for (size_t bucket = 0; bucket < buckets; ++bucket)
    std::ranges::sort(std::span(all).subspan(begins[bucket], begins[bucket + 1] - begins[bucket]),
                      {}, pair_of);
  sum_equal(all, pair_of);
  return all;
}

}  // namespace

// False where a place is not the beginning of an instruction. For the source of the oldest branch
// that is asked in the end, unless the branch would be outside on both sides then.
bool BranchFolder::find_steps() {
  steps_.make_room(sought_count_);
  known_.resize(sought_count_);
  fresh_.clear();
  size_t known = 0;
  for (const auto& [step, hash] : sought()) {
    if (steps_.find(step, hash, known_[known])) [[likely]]
      ++known;
    else
      fresh_.push_back(step), prefetch(step);
  }
  known_.resize(known);
  if (!has_oldest_) return true;
  if (sought_count_ == 0 && !is_checked(oldest_.to)) return false;
  if (oldest_.to == outside() && !is_checked(oldest_.from)) return false;
  return std::ranges::all_of(fresh_, [&](const Step& step) {
    return is_checked(step.start) && is_checked(step.from) && is_checked(step.to);
  });
}

// What is_checked() is going to ask for.
void BranchFolder::prefetch(const Step& step) const {
  for (Place place : {step.start, step.from, step.to})
    if (place != outside()) code_->prefetch(program::CodeIndex(place));
}

// Places that are not the beginning of an instruction are outside.
void BranchFolder::check_entries() {
  std::vector<Entry> entries;
  for (const auto& [step, hash] : sought()) entries.push_back({step.from, step.to});
  entries.push_back(oldest_);
  added_.entries -= entries.size();
  has_oldest_ = false;
  sought_count_ = 0;
  for (const auto& [from, to] : entries) entry(checked(from), checked(to));
}

void BranchFolder::add_passed(u64 weight) {
  added_.entries += passed_.size();
  for (Place to : passed_) {
    if (checked(to) == outside())
      ++added_.elsewhere;
    else
      passed_places_.add(to, weight);
  }
}

BranchFolder::Added BranchFolder::end_sample(u64 weight) {
  if (!find_steps()) [[unlikely]] {
    check_entries();
    find_steps();
  }
  if (has_oldest_) {
    for (size_t slot : known_) steps_.add_known(slot, weight);
    for (const auto& step : fresh_) steps_.add(step, weight);
    oldest_branches_.add(pair(oldest_.from, oldest_.to), weight);
  }
  if (!passed_.empty()) [[unlikely]]
    add_passed(weight);
  Added added = added_;
  drop_sample();
  return added;
}

std::vector<BranchSums::Range> BranchFolder::ranges() const {
  return sorted_sums<BranchSums::Range>(code_->size(), steps_.size(), [&](auto&& each) {
    steps_.for_each([&](const Step& step, u64 count) { each(pair(step.start, step.from), count); });
  });
}

std::vector<BranchSums::Branch> BranchFolder::branches() const {
  return sorted_sums<BranchSums::Branch>(
      code_->size(), steps_.size() + oldest_branches_.size(), [&](auto&& each) {
        steps_.for_each([&](const Step& step, u64 count) {
          if (step.to != outside()) each(pair(step.from, step.to), count);
        });
        oldest_branches_.for_each([&](u64 branch, u64 count) {
          if (lower(branch) != outside()) each(pair(checked(upper(branch)), lower(branch)), count);
        });
      });
}

std::vector<BranchSums::Passed> BranchFolder::passed() const {
  PairCounter each_once;
  each_once.merge(passed_places_);
  std::vector<BranchSums::Passed> list;
  each_once.for_each(
      [&](u64 place, u64 count) { list.push_back({static_cast<Place>(place), count}); });
  std::ranges::sort(list, {}, &BranchSums::Passed::to);
  return list;
}

BranchSums merge(std::vector<BranchFolder> folders, unsigned threads) {
  auto& all = folders[0];
  for (size_t from = 1; from < folders.size(); ++from)
    all.passed_places_.merge(folders[from].passed_places_);
  parallel_for(2, threads, [&](size_t i, unsigned) {
    for (size_t from = 1; from < folders.size(); ++from) {
      if (i == 0)
        all.steps_.merge(std::exchange(folders[from].steps_, {}));
      else
        all.oldest_branches_.merge(std::exchange(folders[from].oldest_branches_, {}));
    }
  });
  std::vector<BranchSums::Range> ranges;
  std::vector<BranchSums::Branch> branches;
  parallel_for(2, threads, [&](size_t i, unsigned) {
    if (i == 0)
      ranges = all.ranges();
    else
      branches = all.branches();
  });
  return {*all.code_, std::move(ranges), std::move(branches), all.passed()};
}

}  // namespace pgokit::samples
