// Which blocks of a control flow graph need a counter so that the rest follows. Knows nothing of
// LLVM.
#pragma once
#include <cstdint>
#include <vector>

namespace pgokit::plugin {

struct Graph {
  std::vector<std::vector<uint32_t>> successors;  // block 0 is the entry
  std::vector<uint64_t> frequency;                // expected, of each block

  uint32_t size() const { return static_cast<uint32_t>(successors.size()); }
  uint32_t edges() const;
  uint32_t signature() const;  // as docs/formats/mip.md says
};

// For each block the index of its counter or a mip_inferred.
struct Counters {
  std::vector<uint32_t> of_block;
  uint32_t count = 0;
};

Counters counters_everywhere(const Graph& graph);

// Fewest counters, where blocks run seldom, from which all counts follow if what flows into a block
// flows out: each block is an edge between the places where flow divides and joins, and a spanning
// tree of those places needs no counters (Knuth and Stevenson, "Optimal measurement points for
// program frequency counts", 1973).
Counters counters_of_flow(const Graph& graph);

// Blocks left out are those that ran exactly if one of their successors did (all of which they
// dominate) or one of their predecessors (all of which they post-dominate).
Counters counters_of_coverage(const Graph& graph);

}  // namespace pgokit::plugin
