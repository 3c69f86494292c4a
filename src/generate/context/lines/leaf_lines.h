#pragma once

// The innermost source location at places of the code, looked up by the million.
//
//   LeafLines lines(program, counts.touched_ranges(), counts.touched_branches(), locations,
//                   threads);
//   if (const auto* part = lines.at(code_index)) use(part->line_offset);
//
// Reads the debug information of all code that the counts touch, once, on all threads.

#include <span>
#include <vector>

#include "generate/context/location_table.h"
#include "program/program.h"
#include "unwind/context_counts.h"

namespace pgokit::generate {

class LeafLines {
 public:
  // A run of code on one location.
  struct Part {
    u32 first, end;  // CodeIndex
    u32 line_offset;
    u32 discriminator;  // as in the debug information
    u32 location;       // without what the discriminator packs beside the block
  };

  // Adds the locations to `locations`.
  LeafLines(const program::Program& program, std::span<const unwind::Range> ranges,
            std::span<const unwind::Branch> branches, LocationTable& locations, unsigned threads);

  // Null where no location is known.
  const Part* at(program::CodeIndex at) const;
  // For those who know which places they will ask for: first where the part is, then the part.
  void prefetch_place(program::CodeIndex at) const {
    if (!first_behind_.empty()) __builtin_prefetch(&first_behind_[block_of(at)]);
  }
  void prefetch_part(program::CodeIndex at) const {
    if (!first_behind_.empty()) __builtin_prefetch(parts_.data() + first_behind_[block_of(at)]);
  }

 private:
  static constexpr unsigned block_bits = 5;
  static u32 block_of(program::CodeIndex at) { return static_cast<u32>(at) >> block_bits; }
  std::vector<Part> parts_;  // ascending
  std::vector<u32>
      first_behind_;  // of each block of code: the first part that ends in or behind it
};

}  // namespace pgokit::generate
