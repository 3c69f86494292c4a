#include <algorithm>

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

  SortedLog::Cursor range(unwound.range_log), branch(unwound.branch_log);
  while (!range.at_end() || !branch.at_end()) {
    u32 node = ~u32{0};
    if (!range.at_end()) node = range.node();
    if (!branch.at_end()) node = std::min(node, branch.node());
    counts.begin(CallPath(node));
    for (; range.at(node); range.next()) {
      u64 pair = unwound.ranges[range.thing()];
      counts.add_range({CodeIndex(first_of(pair)), CodeIndex(second_of(pair)), range.count()});
    }
    for (; branch.at(node); branch.next()) {
      u64 pair = unwound.branches[branch.thing()];
      counts.add_branch({CodeIndex(first_of(pair)), CodeIndex(second_of(pair)), branch.count()});
    }
  }
  return counts;
}

}  // namespace pgokit::unwind
