#include "bolt/traces.h"

#include <algorithm>
#include <tuple>

#include "base/saturated.h"
#include "base/sort_and_sum.h"

namespace pgokit::bolt {
namespace {

auto key_of(const Trace& trace) {
  return std::tuple(trace.from.value, trace.to.value, trace.branch.value);
}
auto ends_of(const samples::BranchCount& branch) {
  return std::pair(branch.from.value, branch.to.value);
}

}  // namespace

void Traces::normalize() {
  std::ranges::sort(list, {}, key_of);
  sum_equal(list, key_of);
  std::ranges::sort(mispredicted, {}, ends_of);
  sum_equal(mispredicted, ends_of);
  std::ranges::sort(returns);
  auto repeated = std::ranges::unique(returns);
  returns.erase(repeated.begin(), repeated.end());
}

void Traces::add(Traces&& more) {
  if (list.empty() && outside == 0) return void(*this = std::move(more));
  list.insert(list.end(), more.list.begin(), more.list.end());
  mispredicted.insert(mispredicted.end(), more.mispredicted.begin(), more.mispredicted.end());
  returns.insert(returns.end(), more.returns.begin(), more.returns.end());
  outside = add_saturated(outside, more.outside);
  normalize();
}

Result<AddressSpace> AddressSpace::of(const object::File& program) {
  u64 low = ~u64{0}, end = 0;
  for (const auto& segment : program.segments()) {
    low = std::min(low, segment.address);
    end = std::max(end, segment.address + segment.memory_size);
  }
  if (low >= end) return fail("it has no segments: not a linked program");
  if (end - low >= nothing) return fail("its segments span 4 GB or more");
  return AddressSpace(low, end - low);
}

bool TraceFolder::end_sample(u64 weight) {
  counter_.make_room(entries_.size());
  Place last = AddressSpace::nothing;
  bool inside = false;
  for (const auto& entry : entries_) {
    constexpr Place outside = AddressSpace::outside;
    bool here = entry.from != outside || entry.to != outside;
    inside |= here;
    samples::Step key{entry.from, entry.to, last};
    if (key == samples::Step{})
      outside_ += weight;
    else if (here || last < AddressSpace::nothing)
      counter_.add(key, weight);
    if (entry.mispredicted && here) mispredicted_.add(u64{entry.from} << 32 | entry.to, weight);
    last = entry.from;
  }
  entries_.clear();
  return inside;
}

Traces merge(std::vector<TraceFolder> folders) {
  auto& all = folders[0];
  for (size_t i = 1; i < folders.size(); ++i) {
    all.counter_.merge(std::exchange(folders[i].counter_, {}));
    all.mispredicted_.merge(folders[i].mispredicted_);
    all.outside_ += folders[i].outside_;
  }
  const auto& space = all.space_;
  Traces traces;
  traces.outside = all.outside_;
  traces.list.reserve(all.counter_.size());
  all.counter_.for_each([&](const samples::Step& key, u64 count) {
    traces.list.push_back(
        {space.address_of(key.start), space.address_of(key.from), space.address_of(key.to), count});
  });
  all.mispredicted_.for_each([&](u64 pair, u64 count) {
    traces.mispredicted.push_back({space.address_of(static_cast<u32>(pair >> 32)),
                                   space.address_of(static_cast<u32>(pair)), count});
  });
  traces.normalize();
  return traces;
}

Traces detail::traces_of(const samples::Counts& counts, std::vector<samples::BranchCount> returns) {
  auto target = [](const samples::BranchCount& branch) { return branch.to.value; };
  std::ranges::sort(returns, {}, target);
  sum_equal(returns, target);
  Traces traces;
  traces.list.reserve(counts.ranges.size() + counts.branches.size() + returns.size());
  for (const auto& branch : counts.branches)
    traces.list.push_back({branch.from, branch.to, unknown, branch.count});
  auto arrived = returns.begin();
  for (const auto& range : counts.ranges) {
    while (arrived != returns.end() && arrived->to < range.start) ++arrived;
    u64 by_return = 0;
    if (arrived != returns.end() && arrived->to == range.start)
      by_return = std::min(arrived->count, range.count), arrived->count -= by_return;
    if (by_return) traces.list.push_back({external_return, range.start, range.last, by_return});
    if (by_return < range.count)
      traces.list.push_back({no_branch, range.start, range.last, range.count - by_return});
  }
  traces.normalize();
  return traces;
}

}  // namespace pgokit::bolt
