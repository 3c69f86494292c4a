#pragma once

// The order of the blocks of a function by the extended travelling salesman problem, after "Improved
// Basic Block Reordering" (Newell and Pupyrev, IEEE Transactions on Computers, 2020).
//
//   std::vector<u32> order = ext_tsp_order(graph);         // all nodes, the entry in front
//   double better = ext_tsp_score(graph, order);
//
// The score of a layout is the sum over its edges of count times weight. A fall-through weighs 1, or
// 1.05 where it is its block's only edge, as that one spares a jump altogether. A jump weighs 0.1 and
// less the farther it goes: nothing from 1,024 bytes on forwards, from 640 on backwards.
// These weights are those of LLVM's code layout, so that scores can be compared.

#include <span>
#include <vector>

#include "block_layout/graph.h"

namespace pgokit::block_layout {

// Of nodes in this order, one behind the other; those left out count as far away.
double ext_tsp_score(const Graph& graph, std::span<const u32> order);

std::vector<u32> ext_tsp_order(const Graph& graph);

}  // namespace pgokit::block_layout
