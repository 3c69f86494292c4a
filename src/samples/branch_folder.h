#pragma once

// Folds branch stacks into counts while they are read.
//
//   BranchFolder folder(code);                       // one per thread
//   for (auto entry : newest_first) folder.entry(folder.place_of(from), folder.place_of(to));
//   auto added = folder.end_sample(1);               // weight
//   ...
//   BranchFolder all = merge(std::move(folders), threads);
//   Counts counts = all.counts(threads);
//
// A flat profile needs no more than pairs of neighbours: the target of an entry and the source of
// the next newer one enclose a range that ran straight through. So memory follows the distinct
// ranges and branches, not the samples.

#include "binary/code_map.h"
#include "samples/counts.h"
#include "samples/pair_counter.h"

namespace pgokit::samples {

class BranchFolder {
 public:
  // An instruction of the program, or outside().
  using Place = u32;
  static constexpr Place outside() { return static_cast<u32>(binary::no_code); }

  explicit BranchFolder(const binary::CodeMap& code) : code_(&code) {}

  Place locate(BinaryAddr address) const {
    return checked(static_cast<Place>(code_->index_of(address)));
  }
  // Where an address is in the code. Whether an instruction begins there is asked at the end of the
  // sample, when the answers for all of its entries had time to come into the cache.
  Place place_of(BinaryAddr address) const {
    auto index = code_->index_of(address);
    if (index != binary::no_code) [[likely]]
      code_->prefetch(index);
    return static_cast<Place>(index);
  }

  // Of the sample in hand, newest first.
  void entry(Place from, Place to) { entries_.push_back({from, to}); }
  struct Added {
    u64 entries = 0;
    u64 elsewhere = 0;  // of these: with both ends outside
    bool used() const { return elsewhere < entries; }
  };
  Added end_sample(u64 weight);
  void drop_sample() { entries_.clear(); }

  friend BranchFolder merge(std::vector<BranchFolder> folders, unsigned threads);

  // Every range between two neighbouring entries, broken ones too; an end may be outside().
  struct RawRange {
    Place start, last;
    u64 count;
  };
  std::vector<RawRange> raw_ranges() const;

  // Without the ranges that cannot be: an end outside, or something between the ends that never
  // falls through.
  Counts counts(unsigned threads = 1) const;

 private:
  struct Entry {
    Place from, to;
  };
  static u64 pair(Place a, Place b) { return u64{a} << 32 | b; }
  Place checked(Place place) const {
    bool known = place != outside() && code_->is_instruction(binary::CodeIndex(place));
    return known ? place : outside();
  }
  BinaryAddr address(Place place) const;
  std::vector<RangeCount> possible_ranges() const;
  std::vector<BranchCount> branches() const;

  const binary::CodeMap* code_;
  std::vector<Entry> entries_;
  PairCounter ranges_, branches_;
};

// What several threads folded; at least one.
BranchFolder merge(std::vector<BranchFolder> folders, unsigned threads);

}  // namespace pgokit::samples
