#include "unwind/by_context.h"

namespace pgokit::unwind {
namespace {

CodeIndex code_index(Place place) { return place == no_call ? binary::no_code : CodeIndex(place); }

}  // namespace

ContextCounts counts_by_path(Unwound unwound) {
  ContextCounts counts(ContextCounts::Kind::probes);
  std::vector<CallPaths::Node> nodes;
  nodes.reserve(unwound.nodes.size());
  for (const auto& node : unwound.nodes)
    nodes.push_back({CallPath(node.parent), code_index(node.call)});
  unwound.nodes = {};
  counts.paths = CallPaths(std::move(nodes));

  const auto& ranges = unwound.range_log.sorted();
  const auto& branches = unwound.branch_log.sorted();
  auto range = ranges.begin();
  auto branch = branches.begin();
  while (range != ranges.end() || branch != branches.end()) {
    u32 node = ~u32{0};
    if (range != ranges.end()) node = range->node();
    if (branch != branches.end()) node = std::min(node, branch->node());
    counts.begin(CallPath(node));
    for (; range != ranges.end() && range->node() == node; ++range) {
      u64 pair = unwound.ranges[range->thing()];
      counts.add_range({CodeIndex(first_of(pair)), CodeIndex(second_of(pair)), range->count});
    }
    for (; branch != branches.end() && branch->node() == node; ++branch) {
      u64 pair = unwound.branches[branch->thing()];
      counts.add_branch({CodeIndex(first_of(pair)), CodeIndex(second_of(pair)), branch->count});
    }
  }
  return counts;
}

}  // namespace pgokit::unwind
