#pragma once

// What ranges of code say of probes, a piece for each inline node: found once for each range,
// however many contexts it ran in.
//
//   ProbePieces pieces(code, counts.touched_ranges(), location_of_slot, names, threads, samples);
//   for (const auto& piece : pieces.of(range)) records.add_list(piece.list, range.count);
//
// Adds to the lists of `samples`: first all probes of each node, by its number, then those of the
// pieces. Neighbouring pieces with the same probes are the same list.

#include "generate/context/context_samples.h"
#include "generate/context/probes/probe_code.h"
#include "unwind/context_counts.h"

namespace pgokit::generate {

class ProbePieces {
 public:
  struct Piece {
    u32 node;
    u32 function;  // as CodeFunctions has it
    u32 list;      // of the samples
    u32 entries;   // how many of its probes are the entry of the node
  };

  // `names`: of the functions of nodes.
  ProbePieces(const ProbeCode& code, std::span<const unwind::Range> ranges,
              std::span<const u32> location_of_slot, std::span<const NameId> names,
              unsigned threads, ContextSamples& samples);

  // One for each node, by the first probe of each.
  std::span<const Piece> of(const unwind::Range& range) const;
  // For those who know which ranges they will ask for, some time apart: first where a range is,
  // then the range, then its pieces.
  void prefetch_place(const unwind::Range& range) const {
    __builtin_prefetch(&first_[block_of(range.first)]);
  }
  void prefetch_range(const unwind::Range& range) const {
    __builtin_prefetch(ranges_.data() + first_[block_of(range.first)]);
  }
  void prefetch_pieces(const unwind::Range& range) const { __builtin_prefetch(of(range).data()); }

 private:
  static constexpr unsigned block_bits = 4;
  static u32 block_of(program::CodeIndex at) { return static_cast<u32>(at) >> block_bits; }
  struct Entry {
    u64 key;  // of the range
    u32 first_piece, end_piece;
  };
  class Share;
  struct Place;

  void take(const Share& share, const Place& first, std::span<const u32> location_of_slot,
            std::span<const NameId> names, ContextSamples& samples);

  std::vector<Entry> ranges_;  // ascending
  std::vector<u32> first_;     // of each block of code: the first range that begins in or behind it
  std::vector<Piece> pieces_;
};

}  // namespace pgokit::generate
