#pragma once

// Where the blocks of a program shall lie: which blocks of a function stay together and in which
// order, and the order of the functions.
//
//   ProgramLayout layout = lay_out(counts, {}, threads);
//   for (const auto& function : layout.functions) use(function.hot);
//   for (auto [function, part] : layout.order) use(layout.functions[function].parts[part]);
//
// Blocks that ran stay with their function's entry, in the order of ext_tsp.h. The others go to a
// cold part, far away. Landing pads are all in the same part, as clang would move them to a third one
// otherwise. Functions are ordered by who calls whom how often (order/cache_directed.h), with the size
// that their hot part has. In an inter-procedural layout hot parts are divided where no block falls
// into the next one, and it is these pieces that are ordered, by calls and by jumps between them: a
// loop lies beside what it calls, far from the rest of its function.

#include <vector>

#include "block_layout/block_counts.h"

namespace pgokit::block_layout {

struct FunctionLayout {
  u32 function = 0;                    // position in BlockCounts::functions
  std::vector<u32> hot = {};           // positions of blocks, the entry in front
  std::vector<u32> parts = {0};        // where in `hot` each piece begins
  double score_before = 0, score = 0;  // ext-TSP: as it is now, and then
};

struct LayoutPart {
  u32 function = 0, part = 0;  // by positions in ProgramLayout::functions and FunctionLayout::parts
  bool operator==(const LayoutPart&) const = default;
};

struct ProgramLayout {
  std::vector<FunctionLayout> functions;  // in the order of their first parts
  std::vector<LayoutPart> order;          // of all parts
  u64 hot_blocks = 0, blocks = 0;
  double score_before = 0, score = 0;  // sums
};

struct LayoutOptions {
  bool inter_procedural = false;
};

// `threads`: 0: all cores; the result is the same for any number.
ProgramLayout lay_out(const BlockCounts& counts, const LayoutOptions& options, unsigned threads);

}  // namespace pgokit::block_layout
