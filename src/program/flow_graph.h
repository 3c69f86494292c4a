#pragma once

// The basic blocks of one function and the ways between them, as far as its machine code tells.
//
//   FlowGraph graph = FlowGraph::of_function(program.code(), program.functions(), function);
//   for (const auto& block : graph.blocks) use(block.first, block.last);
//   for (const auto& way : graph.ways) use(way.from, way.to);      // numbers of blocks, or outside
//
// Calls do not end blocks. Where an indirect jump goes is not known: to every block that nothing
// else leads to, and out of the function where there is none.

#include <vector>

#include "program/code_map.h"
#include "program/functions.h"

namespace pgokit::program {

struct FlowGraph {
  static constexpr u32 outside = ~u32{0};

  struct Block {
    CodeIndex first, last;  // instructions; the last one is the block's end
    u32 instructions = 0;
  };
  struct Way {
    u32 from = 0, to = 0;
    bool operator==(const Way&) const = default;
  };

  static FlowGraph of_function(const CodeMap& code, const FunctionTable& functions, u32 function);

  // The block that an instruction lies in; outside: none.
  u32 block_of(CodeIndex at) const;

  std::vector<Block> blocks;  // ascending
  std::vector<Way> ways;
};

}  // namespace pgokit::program
