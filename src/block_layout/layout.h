#pragma once

// Where the blocks of a program shall lie: which blocks of a function stay together and in which
// order, and the order of the functions.
//
//   ProgramLayout layout = lay_out(counts, threads);
//   for (const auto& function : layout.functions) use(function.hot);
//
// Blocks that ran stay with their function's entry, in the order of ext_tsp.h. The others go to a
// cold part, far away. Landing pads are all in the same part, as clang would move them to a third one
// otherwise. Functions are ordered by who calls whom how often (order/cache_directed.h), with the size
// that their hot part has.

#include <vector>

#include "block_layout/block_counts.h"

namespace pgokit::block_layout {

struct FunctionLayout {
  u32 function = 0;                    // position in BlockCounts::functions
  std::vector<u32> hot = {};           // positions of blocks, the entry in front
  double score_before = 0, score = 0;  // ext-TSP: as it is now, and then
};

struct ProgramLayout {
  std::vector<FunctionLayout> functions;  // in their order
  u64 hot_blocks = 0, blocks = 0;
  double score_before = 0, score = 0;  // sums
};

// `threads`: 0: all cores; the result is the same for any number.
ProgramLayout lay_out(const BlockCounts& counts, unsigned threads);

}  // namespace pgokit::block_layout
