#include <algorithm>

#include "base/parallel.h"
#include "unwind/by_context.h"
#include "unwind/contexts/context_parts.h"
#include "unwind/node_counts.h"

namespace pgokit::unwind {
namespace {

CodeIndex code_index(Place place) { return place == no_call ? program::no_code : CodeIndex(place); }

// Of the nodes from `first` to `end`.
PartCounts counts_of(const Unwound& unwound, u32 first, u32 end) {
  PartCounts counts;
  NodeCounts at(unwound, first);
  auto prefetch_range = [&](const auto& step) {
    if (step.range != Unwound::none) __builtin_prefetch(&unwound.ranges[step.range]);
  };
  auto prefetch_branch = [&](const auto& step) {
    if (step.branch != Unwound::none) __builtin_prefetch(&unwound.branches[step.branch]);
  };
  for (u32 node = first; node < end; ++node) {
    if (!at.read(node, prefetch_range, prefetch_branch)) continue;
    counts.begin(node);
    for (const auto& [range, order, count] : at.ranges()) {
      u64 pair = unwound.ranges[range];
      counts.columns.ranges.push_back(
          {CodeIndex(first_of(pair)), CodeIndex(second_of(pair)), count});
    }
    for (const auto& [branch, order, count] : at.branches()) {
      u64 pair = unwound.branches[branch];
      counts.columns.branches.push_back(
          {CodeIndex(first_of(pair)), CodeIndex(second_of(pair)), count});
    }
    counts.end();
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
