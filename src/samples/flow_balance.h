#pragma once

// How often each way through a function was gone, from samples that tell only where time was spent.
//
//   std::vector<FlowEdge> edges = {{.from = 0, .to = 1, .samples = 40, .instructions = 8},
//                                  {.from = 1, .to = 0, .samples = 3, .instructions = 1}};
//   std::vector<double> flow = balance_flows(nodes, edges);
//
// The graph is one of circulation: what enters a node leaves it, and what leaves the function
// enters it again (a node for the outside). Blocks are edges with instructions; ways between
// blocks are edges without.
//
// Flow is in samples per instruction. Three steps:
//   1. Two edges that together hold the graph together have the same flow, whatever the program
//      does (the top and the end of an if, say): their samples and instructions are pooled.
//   2. An edge without instructions takes its share by what follows it.
//   3. The flows are changed until they balance at every node, each as little as its samples allow:
//      steps of Kaczmarz' method weighed by variance.

#include <span>
#include <vector>

#include "base/types.h"

namespace pgokit::samples {

struct FlowEdge {
  u32 from = 0, to = 0;
  u64 samples = 0;
  u32 instructions = 0;
};

// Numbers of the groups of edges that always have the same flow, one per edge; 0 for edges that
// nothing can flow through.
std::vector<u32> equal_flows(u32 nodes, std::span<const FlowEdge> edges);

std::vector<double> balance_flows(u32 nodes, std::span<const FlowEdge> edges);

}  // namespace pgokit::samples
