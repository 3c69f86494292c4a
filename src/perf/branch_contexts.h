#pragma once

// The branches of a whole run by calling context: a feature of pgokit's recordings beside their
// branch counts, which are the sums.
//
//   BranchContexts contexts;
//   contexts.nodes.push_back({.parent = BranchContexts::root, .returns_to = {0, 0x1141}});
//   contexts.steps.push_back({.node = 1, .branch = 0, .start = {0, 0x1120}, .count = 7});
//   writer.features().branch_contexts = encode(contexts, counts);
//   ...
//   BranchContexts same =
//       TRY(decode_branch_contexts(recording.features().branch_contexts, counts));
//
// Layout: docs/formats/perf-data.md.

#include <string>
#include <vector>

#include "perf/branch_counts.h"

namespace pgokit::perf {

struct BranchContexts {
  using Place = BranchCounts::Place;

  static constexpr u32 root = 0;            // no context
  static constexpr u32 most_callers = 512;  // of a context

  // A calling context: that of the caller, and where the innermost call returns to. Recursion is
  // left out: no series of calls stands twice in a row.
  struct Node {
    u32 parent = root;
    Place returns_to;
    bool operator==(const Node&) const = default;
  };
  // What ran from `start` to a branch, and the branch.
  struct Step {
    u32 node = root;
    u32 branch = 0;  // of BranchCounts::branches
    Place start;
    u64 count = 0;
    bool operator==(const Step&) const = default;
  };
  // What ran from `start` to the first instruction that was not counted.
  struct Rest {
    u32 node = root;
    Place start, end;
    u64 count = 0;
    bool operator==(const Rest&) const = default;
  };

  u64 cut = 0;  // calls whose own callers are not in their context
  std::vector<Node> nodes = std::vector<Node>(1);  // parents first; [0] is the root
  std::vector<Step> steps;                         // ascending by node and branch
  std::vector<Rest> rests;                         // ascending by node
};

// `counts`: those that the steps are parts of.
std::string encode(const BranchContexts& contexts, const BranchCounts& counts);
Result<BranchContexts> decode_branch_contexts(Bytes bytes, const BranchCounts& counts);

}  // namespace pgokit::perf
