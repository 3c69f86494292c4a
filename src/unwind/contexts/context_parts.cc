#include "unwind/contexts/context_parts.h"

#include <algorithm>
#include <utility>

#include "base/free_memory.h"
#include "base/parallel.h"
#include "base/sort_and_sum.h"
#include "unwind/contexts/context_numbers.h"

namespace pgokit::unwind {
namespace {

// For each part, what others have of the contexts that it owns.
std::vector<PartCounts> hand_over(const std::vector<ContextPart>& parts,
                                  const ContextNumbers& numbers) {
  std::vector<PartCounts> received(parts.size());
  for (size_t part = 0; part < parts.size(); ++part) {
    const auto& counts = parts[part].counts;
    for (size_t i = 0; i < counts.entries.size(); ++i) {
      u32 context = numbers.number(part, counts.entries[i].context);
      if (!numbers.owns(part, context)) received[numbers.owner(context)].append(counts, i, context);
    }
  }
  return received;
}

// What a part has of the contexts that it owns, and what it received: each context once, by number.
PartCounts sort_and_sum(const PartCounts& own, const PartCounts& received,
                        const ContextNumbers& numbers, size_t part) {
  std::vector<u64> order;  // context and place
  order.reserve(own.entries.size());
  for (size_t i = 0; i < own.entries.size(); ++i)
    if (u32 context = numbers.number(part, own.entries[i].context); numbers.owns(part, context))
      order.push_back(u64{context} << 32 | i);
  for (size_t i = 0; i < received.entries.size(); ++i)
    order.push_back(u64{received.entries[i].context} << 32 | (own.entries.size() + i));
  std::ranges::sort(order);

  PartCounts sum;
  sum.entries.reserve(order.size());
  sum.ranges.reserve(own.ranges.size() + received.ranges.size());
  sum.branches.reserve(own.branches.size() + received.branches.size());
  for (size_t i = 0; i < order.size(); ++i) {
    auto context = static_cast<u32>(order[i] >> 32);
    size_t place = static_cast<u32>(order[i]);
    bool is_own = place < own.entries.size();
    sum.append(is_own ? own : received, is_own ? place : place - own.entries.size(), context);
    if (i + 1 < order.size() && order[i + 1] >> 32 == context) continue;
    sort_and_sum(sum.ranges, &Range::key, AddCounts{}, sum.entries.back().first_range);
    sort_and_sum(sum.branches, &Branch::key, AddCounts{}, sum.entries.back().first_branch);
  }
  return sum;
}

// Where a part begins in the columns of all.
struct Place {
  size_t entry = 0, range = 0, branch = 0;
};

// One column behind the other. What the parts had of a column is gone before the next one is made.
template <class Record, class From, class Copy>
UninitializedVector<Record> one_column(std::vector<PartCounts>& parts,
                                       std::vector<From> PartCounts::* own, size_t size,
                                       unsigned threads, const Copy& copy) {
  UninitializedVector<Record> column(size);
  parallel_for(parts.size(), threads, [&](size_t part, unsigned) {
    copy(part, std::exchange(parts[part].*own, {}), column.data());
  });
  return_free_memory();
  return column;
}

}  // namespace

std::span<const Range> PartCounts::ranges_of(size_t i) const {
  size_t first = entries[i].first_range;
  size_t end = i + 1 < entries.size() ? entries[i + 1].first_range : ranges.size();
  return std::span(ranges).subspan(first, end - first);
}

std::span<const Branch> PartCounts::branches_of(size_t i) const {
  size_t first = entries[i].first_branch;
  size_t end = i + 1 < entries.size() ? entries[i + 1].first_branch : branches.size();
  return std::span(branches).subspan(first, end - first);
}

void PartCounts::append(const PartCounts& from, size_t i, u32 context) {
  const auto& entry = from.entries[i];
  auto its_ranges = from.ranges_of(i);
  auto its_branches = from.branches_of(i);
  if (entries.empty() || entries.back().context != context)
    entries.push_back({context, ~u32{0}, static_cast<u32>(ranges.size()),
                       static_cast<u32>(branches.size()), false});
  if (auto& whole = entries.back(); entry.order < whole.order) {
    whole.order = entry.order;
    whole.leaf_inlined = entry.leaf_inlined;
  }
  ranges.insert(ranges.end(), its_ranges.begin(), its_ranges.end());
  branches.insert(branches.end(), its_branches.begin(), its_branches.end());
}

ContextCounts concatenate(ContextCounts::Kind kind, std::vector<PartCounts> parts,
                          unsigned threads) {
  std::vector<Place> begin(parts.size() + 1);
  for (size_t i = 0; i < parts.size(); ++i)
    begin[i + 1] = {begin[i].entry + parts[i].entries.size(),
                    begin[i].range + parts[i].ranges.size(),
                    begin[i].branch + parts[i].branches.size()};
  auto ranges = one_column<Range>(parts, &PartCounts::ranges, begin.back().range, threads,
                                  [&](size_t part, const auto& own, Range* column) {
                                    std::ranges::copy(own, column + begin[part].range);
                                  });
  auto branches = one_column<Branch>(parts, &PartCounts::branches, begin.back().branch, threads,
                                     [&](size_t part, const auto& own, Branch* column) {
                                       std::ranges::copy(own, column + begin[part].branch);
                                     });
  auto entries = one_column<ContextCounts::Entry>(
      parts, &PartCounts::entries, begin.back().entry, threads,
      [&](size_t part, const auto& own, ContextCounts::Entry* column) {
        auto entry = column + begin[part].entry;
        for (const auto& from : own)
          *entry++ = {begin[part].range + from.first_range, begin[part].branch + from.first_branch,
                      from.context, from.leaf_inlined};
      });
  return {kind, std::move(entries), std::move(ranges), std::move(branches)};
}

ContextCounts join(std::vector<ContextPart> parts, unsigned threads) {
  std::vector<ContextNumbers::Nodes> of_parts;
  for (const auto& part : parts) of_parts.emplace_back(part.nodes);
  ContextNumbers numbers(std::move(of_parts));
  auto nodes = numbers.nodes(threads);
  auto received = hand_over(parts, numbers);
  std::vector<PartCounts> sums(parts.size());
  parallel_for(parts.size(), threads, [&](size_t part, unsigned) {
    sums[part] = sort_and_sum(parts[part].counts, received[part], numbers, part);
    parts[part] = {};
    received[part] = {};
  });
  auto counts = concatenate(ContextCounts::Kind::lines, std::move(sums), threads);
  counts.contexts = profile::Contexts(std::move(nodes));
  return counts;
}

}  // namespace pgokit::unwind
