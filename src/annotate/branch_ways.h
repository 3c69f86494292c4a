#pragma once

// The branches of a function as it was compiled: where they lead, for what the compiler held them,
// and how they ran.
//
//   BranchReader reader(program, counts, frames);         // of this program; for one thread
//   for (const BranchWays& branch : reader.read(blocks))  // one function of the block map
//     use(branch.block, branch.believed, branch.counts);

#include <vector>

#include "annotate/code_counts.h"
#include "block_map/block_map.h"
#include "dwarf/debug_info.h"
#include "program/program.h"

namespace pgokit::annotate {

// A block that ends in a branch. Columns by successor.
struct BranchWays {
  u32 block = 0;
  u64 address = 0;  // of the last instruction
  u64 source = 0;   // equal where it is written at the same place, inlined by the same calls; 0: ?
  std::vector<u32> successors;   // numbers of blocks
  std::vector<double> believed;  // shares
  std::vector<u64> counts;       // how often each was gone to; empty: there are no counts
  u64 ran = 0;                   // their sum
};

class BranchReader {
 public:
  // All must outlive it; null: no counts, no debug information.
  BranchReader(const program::Program& program, const CodeCounts* counts,
               dwarf::FrameCursor* frames)
      : program_(program), counts_(counts), frames_(frames) {}

  // By block. Branches whose blocks are not all known are left out, and ends of blocks that are
  // calls: those that may throw.
  std::vector<BranchWays> read(const block_map::Function& function);

 private:
  bool find_exits(u64 begin, u64 end);
  void count(const block_map::Function& function, u64 end, BranchWays& branch) const;
  u64 entries_by_running_on(u64 address) const;
  u64 source_of(u64 address) const;

  const program::Program& program_;
  const CodeCounts* counts_;
  dwarf::FrameCursor* frames_;
  // Of the block that is looked at: what may leave it, and its last instruction.
  std::vector<u64> exits_;
  program::CodeIndex last_ = program::no_code;
};

}  // namespace pgokit::annotate
