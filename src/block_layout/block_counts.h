#pragma once

// Counts of ranges and branches → how often each block of the program's block map ran, how often
// control went from block to block, and who called whom.
//
//   BlockCounts counts = TRY(count_blocks(program, input.counts));
//   for (const auto& function : counts.functions) use(function.blocks, function.edges);
//
// Only functions that ran are kept. A block ran as often as its most executed part; an edge is a
// jump to the begin of a block, or running on into it, also by the return of the call that a block
// ends with. Where sampling has seen the edges of a block more often than its code, the edges count.
//
// Functions in several parts (.cold, .__part.N) are one, so that a program which was laid out before
// can be recorded again: the numbers of its blocks are still those of the compiler.

#include <string_view>
#include <vector>

#include "base/result.h"
#include "block_layout/graph.h"
#include "program/program.h"
#include "samples/counts.h"

namespace pgokit::block_layout {

struct CountedBlock {
  u32 id = 0;    // the compiler's number of it
  u32 size = 0;  // bytes
  u8 flags = 0;  // of block_map::Block
  u64 count = 0;
  u64 hash = 0;  // where the map has hashes
};

struct CountedFunction {
  u64 address = 0;
  std::vector<CountedBlock> blocks = {};  // in the order of the map; the entry in front
  std::vector<Edge> edges = {};           // between blocks, by their positions; ascending
  bool has_hashes = false;
};

// By positions of the functions; never of a function by itself.
struct FunctionCall {
  u32 from = 0, to = 0;
  u64 count = 0;
  u32 block = 0;  // of the caller, by its position
};

struct BlockCounts {
  std::vector<CountedFunction> functions;  // by address
  std::vector<FunctionCall> calls;         // ascending
  u64 mapped_functions = 0;                // of the program, those that did not run too
};

// An error where the program has no block map, or a damaged one.
Result<BlockCounts> count_blocks(const program::Program& program, const samples::Counts& counts);

// Why blocks of the program cannot be laid out; fine: they can.
Status check_block_map(const program::Program& program);

}  // namespace pgokit::block_layout
