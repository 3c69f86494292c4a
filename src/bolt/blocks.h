#pragma once

// The basic blocks of functions, in the order of their addresses, as BOLT cuts them.
//
//   auto blocks = read_blocks(file, functions, hit, threads);
//   const FunctionBlocks& of = blocks[0];                                // of function hit[0]
//   if (u32 block = of.block_of(offset); block != FunctionBlocks::none) use(of.list[block]);
//
// A block begins where a branch or a jump table of the function, an exception, or a reference from
// elsewhere leads to, and after each branch. Calls do not end it. Only functions that were hit, and
// those that jump into the middle of one, are decoded.

#include <span>
#include <vector>

#include "bolt/functions.h"

namespace pgokit::bolt {

struct Block {
  u32 begin = 0, last = 0;  // offsets; that of the last instruction
  bool falls = false;       // into the next block
  bool ends_in_call = false;
  bool entry = false;        // from elsewhere
  bool landing_pad = false;  // of exceptions
};

struct FunctionBlocks {
  static constexpr u32 none = ~u32{0};

  u32 size = 0;             // bytes of the function
  std::vector<Block> list;  // empty: BOLT has none of it
  // How many of the blocks before each do not fall into the next one.
  std::vector<u32> stops;

  u32 block_of(u64 offset) const;
  // Whether execution can run from one block to a later one.
  bool runs_through(u32 from, u32 to) const { return stops[from] == stops[to]; }
};

// In the order of `hit`: numbers of functions, ascending.
std::vector<FunctionBlocks> read_blocks(const object::File& file, const Functions& functions,
                                        std::span<const u32> hit, unsigned threads);

}  // namespace pgokit::bolt
