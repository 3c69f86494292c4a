#include <algorithm>

#include "base/parallel.h"
#include "unwind/by_context.h"
#include "unwind/contexts/context_parts.h"

namespace pgokit::unwind {
namespace {

CodeIndex code_index(Place place) { return place == no_call ? program::no_code : CodeIndex(place); }

// Of the nodes from `first` to `end`.
PartCounts counts_of(const Unwound& unwound, u32 first, u32 end) {
  PartCounts counts;
  SortedLog::Cursor range(unwound.range_log, first), branch(unwound.branch_log, first);
  for (u32 node = first; node < end; ++node) {
    if (!range.at(node) && !branch.at(node)) continue;
    counts.entries.push_back({.context = node,
                              .first_range = static_cast<u32>(counts.ranges.size()),
                              .first_branch = static_cast<u32>(counts.branches.size())});
    constexpr size_t ahead = 16;
    for (; range.at(node); range.next()) {
      __builtin_prefetch(&unwound.ranges[range.coming(ahead)]);
      u64 pair = unwound.ranges[range.thing()];
      counts.ranges.push_back(
          {CodeIndex(first_of(pair)), CodeIndex(second_of(pair)), range.count()});
    }
    for (; branch.at(node); branch.next()) {
      __builtin_prefetch(&unwound.branches[branch.coming(ahead)]);
      u64 pair = unwound.branches[branch.thing()];
      counts.branches.push_back(
          {CodeIndex(first_of(pair)), CodeIndex(second_of(pair)), branch.count()});
    }
  }
  return counts;
}

std::vector<Range> touched_ranges(const Unwound& unwound) {
  std::vector<Range> ranges;
  for (size_t i = 0; i < unwound.ranges.size(); ++i)
    if (unwound.range_possible[i])
      ranges.push_back(
          {CodeIndex(first_of(unwound.ranges[i])), CodeIndex(second_of(unwound.ranges[i]))});
  return ranges;
}

}  // namespace

ContextCounts counts_by_path(Unwound unwound, unsigned threads) {
  Chunks nodes{unwound.nodes.size(), 1 << 14};
  std::vector<PartCounts> parts(nodes.count());
  parallel_for(parts.size(), threads, [&](size_t part, unsigned) {
    parts[part] =
        counts_of(unwound, static_cast<u32>(nodes.begin(part)), static_cast<u32>(nodes.end(part)));
  });
  std::vector<CallPaths::Node> paths;
  paths.reserve(unwound.nodes.size());
  for (const auto& node : unwound.nodes)
    paths.push_back({CallPath(node.parent), code_index(node.call)});
  auto ranges = touched_ranges(unwound);
  auto branches = touched_branches(unwound);
  unwound = {};
  auto counts = concatenate(ContextCounts::Kind::probes, std::move(parts), threads);
  counts.remember_touched(std::move(ranges), std::move(branches));
  counts.paths = CallPaths(std::move(paths));
  return counts;
}

}  // namespace pgokit::unwind
