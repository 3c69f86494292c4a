#include "unwind/contexts/context_parts.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <numeric>
#include <utility>

#include "base/parallel.h"
#include "base/sort_and_sum.h"
#include "unwind/contexts/context_numbers.h"

namespace pgokit::unwind {
namespace {

void sum_last(PartCounts& counts) {
  auto& entry = counts.entries.back();
  sort_and_sum(counts.columns.ranges, &Range::key, AddCounts{}, entry.first_range);
  sort_and_sum(counts.columns.branches, &Branch::key, AddCounts{}, entry.first_branch);
  counts.end();
}

// For each part, what others have of the contexts that it owns, which they have no longer. All
// contexts have numbers of all from here on.
std::vector<PartCounts> hand_over(std::vector<ContextPart>& parts, const ContextNumbers& numbers,
                                  unsigned threads) {
  std::vector<std::vector<PartCounts::Entry>> foreign(parts.size());
  parallel_for(parts.size(), threads, [&](size_t part, unsigned) {
    auto& entries = parts[part].counts.entries;
    for (auto& entry : entries) entry.context = numbers.number(part, entry.context);
    auto is_own = [&](const auto& entry) { return numbers.owns(part, entry.context); };
    std::ranges::copy_if(entries, std::back_inserter(foreign[part]), std::not_fn(is_own));
    std::erase_if(entries, std::not_fn(is_own));
  });
  std::vector<PartCounts> received(parts.size());
  for (size_t part = 0; part < parts.size(); ++part)
    for (const auto& entry : foreign[part])
      received[numbers.owner(entry.context)].append(parts[part].counts, entry, entry.context);
  return received;
}

// Adds what a part has of the contexts that it received: they are among these alone then. Its own
// counts come first, as its samples do where several are the first.
void take_own(PartCounts& own, PartCounts& received) {
  if (received.entries.empty()) return;
  std::vector<u32> contexts;
  for (const auto& entry : received.entries) contexts.push_back(entry.context);
  std::ranges::sort(contexts);
  auto is_received = [&](const auto& entry) {
    return std::ranges::binary_search(contexts, entry.context);
  };
  PartCounts all;
  for (const auto& entry : own.entries)
    if (is_received(entry)) all.append(own, entry, entry.context);
  for (const auto& entry : received.entries) all.append(received, entry, entry.context);
  std::erase_if(own.entries, is_received);
  sum_by_context(all, received);
}

// Entries of one part and of what it received, by context.
void put_entries(const PartCounts& own, size_t columns, const PartCounts& received,
                 size_t columns_received, ContextCounts::Entry* at) {
  auto put = [&](const PartCounts::Entry& from, size_t its_columns) {
    *at++ = {.key = from.context,
             .columns = static_cast<u32>(its_columns) & ~(u32{1} << 31),
             .leaf_inlined = from.leaf_inlined,
             .first_range = from.first_range,
             .ranges = from.ranges,
             .first_branch = from.first_branch,
             .branches = from.branches};
  };
  auto other = received.entries.begin();
  for (const auto& entry : own.entries) {
    for (; other != received.entries.end() && other->context < entry.context; ++other)
      put(*other, columns_received);
    put(entry, columns);
  }
  for (; other != received.entries.end(); ++other) put(*other, columns_received);
}

// `received`: by part, or nothing.
ContextCounts concatenate(ContextCounts::Kind kind, std::vector<PartCounts> parts,
                          std::vector<PartCounts> received, unsigned threads) {
  size_t count = parts.size();
  received.resize(count);
  std::vector<size_t> begin{0};
  for (size_t i = 0; i < count; ++i)
    begin.push_back(begin[i] + parts[i].entries.size() + received[i].entries.size());
  UninitializedVector<ContextCounts::Entry> entries(begin.back());
  std::vector<ContextCounts::Columns> columns(std::max<size_t>(2 * count, 1));
  parallel_for(count, threads, [&](size_t i, unsigned) {
    put_entries(parts[i], i, received[i], count + i, entries.data() + begin[i]);
    columns[i] = std::move(parts[i].columns);
    columns[count + i] = std::move(received[i].columns);
    parts[i] = {};
  });
  return {kind, std::move(entries), std::move(columns)};
}

}  // namespace

PartCounts::Entry& PartCounts::begin(u32 context) {
  entries.push_back({.context = context,
                     .first_range = static_cast<u32>(columns.ranges.size()),
                     .first_branch = static_cast<u32>(columns.branches.size())});
  return entries.back();
}

void PartCounts::end() {
  auto& entry = entries.back();
  entry.ranges = static_cast<u32>(columns.ranges.size()) - entry.first_range;
  entry.branches = static_cast<u32>(columns.branches.size()) - entry.first_branch;
}

void PartCounts::clear() {
  entries.clear();
  columns.ranges.clear();
  columns.branches.clear();
}

void PartCounts::append(const PartCounts& from, const Entry& entry, u32 context) {
  if (entries.empty() || entries.back().context != context) begin(context);
  if (auto& whole = entries.back(); entry.order < whole.order) {
    whole.order = entry.order;
    whole.leaf_inlined = entry.leaf_inlined;
  }
  auto ranges = from.columns.ranges.begin() + entry.first_range;
  auto branches = from.columns.branches.begin() + entry.first_branch;
  columns.ranges.insert(columns.ranges.end(), ranges, ranges + entry.ranges);
  columns.branches.insert(columns.branches.end(), branches, branches + entry.branches);
  end();
}

void sum_by_context(const PartCounts& counts, PartCounts& sums) {
  std::vector<u32> order(counts.entries.size());
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::sort(order, {}, [&](u32 i) { return std::pair(counts.entries[i].context, i); });
  sums.clear();
  for (size_t i = 0; i < order.size(); ++i) {
    const auto& entry = counts.entries[order[i]];
    sums.append(counts, entry, entry.context);
    if (i + 1 == order.size() || counts.entries[order[i + 1]].context != entry.context)
      sum_last(sums);
  }
}

ContextCounts concatenate(ContextCounts::Kind kind, std::vector<PartCounts> parts,
                          unsigned threads) {
  return concatenate(kind, std::move(parts), {}, threads);
}

ContextCounts join(std::vector<ContextPart> parts, unsigned threads) {
  std::vector<ContextNumbers::Nodes> of_parts;
  for (const auto& part : parts) of_parts.emplace_back(part.nodes);
  ContextNumbers numbers(std::move(of_parts));
  auto nodes = numbers.nodes(threads);
  auto received = hand_over(parts, numbers, threads);
  std::vector<PartCounts> own(parts.size());
  parallel_for(parts.size(), threads, [&](size_t part, unsigned) {
    own[part] = std::exchange(parts[part], {}).counts;
    take_own(own[part], received[part]);
  });
  auto counts =
      concatenate(ContextCounts::Kind::lines, std::move(own), std::move(received), threads);
  counts.contexts = profile::Contexts(std::move(nodes));
  return counts;
}

}  // namespace pgokit::unwind
