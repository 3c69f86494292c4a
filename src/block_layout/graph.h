#pragma once

// A function as what of it ran: blocks, and how often control went from one to another.
//
//   Graph graph{.nodes = {{.size = 8, .count = 100}, {.size = 4, .count = 90}},
//               .edges = {{.from = 0, .to = 1, .count = 90}}};
//   for (u32 node : ext_tsp_order(graph)) use(node);       // block_layout/ext_tsp.h
//
// Node 0 is the entry, which stays in front. An edge is a jump or a fall-through, whichever the
// layout makes of it; edges are ascending by their ends, each pair of ends once.

#include <vector>

#include "base/types.h"

namespace pgokit::block_layout {

struct Node {
  u32 size = 0;  // bytes of code
  u64 count = 0;
};

struct Edge {
  u32 from = 0, to = 0;
  u64 count = 0;
  bool operator==(const Edge&) const = default;
};

struct Graph {
  std::vector<Node> nodes = {};
  std::vector<Edge> edges = {};
};

}  // namespace pgokit::block_layout
