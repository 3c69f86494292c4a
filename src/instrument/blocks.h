#pragma once

// How often each block ran, also those that have no counter of their own.
//
//   auto counts = instrument::block_counts(module, function);
//   if (!counts.executions.empty()) use(counts.executions[block]);
//
// With all blocks counted this is a look-up. With the minimal set the others follow from the graph
// by the rules in docs/formats/mip.md: flow for counts, neighbours for coverage.

#include <vector>

#include "instrument/module.h"

namespace pgokit::instrument {

struct BlockCounts {
  std::vector<u64> executions;  // by block; empty where blocks are not counted
  std::vector<u64> ran;         // dumps in which it ran, at least; empty where that is not known
  // Blocks for which counters and graph say no number: taken as 0.
  u64 unsolved = 0;

  bool known() const { return !executions.empty() || !ran.empty(); }
  bool has_run(u32 block) const {
    return !executions.empty() ? executions[block] > 0 : ran[block] > 0;
  }
};

BlockCounts block_counts(const Module& module, const Function& function);

// Functions whose blocks are counted and calls are not: calls are those of the first block.
void complete_calls(Module& module);

}  // namespace pgokit::instrument
