#pragma once

// Folds branch stacks into counts while they are read.
//
//   BranchFolder folder(code);                       // one per thread
//   auto stack = folder.stack(1);                    // weight
//   for (auto entry : newest_first) stack.add(folder.locate(from), folder.locate(to));
//   ...
//   folder.merge(other);
//   Counts counts = folder.counts();
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
    auto index = code_->index_of(address);
    bool known = index != binary::no_code && code_->is_instruction(index);
    return known ? static_cast<Place>(index) : outside();
  }

  class Stack {
   public:
    // Entries newest first.
    void add(Place from, Place to) {
      if (from == outside() && to == outside()) return;
      if (has_newer_) folder_.ranges_.add(pair(to, newer_from_), weight_);
      if (to != outside()) folder_.branches_.add(pair(from, to), weight_);
      newer_from_ = from;
      has_newer_ = true;
    }
    // Whether any entry was of the program.
    bool used() const { return has_newer_; }

   private:
    friend class BranchFolder;
    Stack(BranchFolder& folder, u64 weight) : folder_(folder), weight_(weight) {}

    BranchFolder& folder_;
    u64 weight_;
    Place newer_from_ = 0;
    bool has_newer_ = false;
  };
  Stack stack(u64 weight) { return {*this, weight}; }

  void merge(const BranchFolder& other);

  // Every range between two neighbouring entries, broken ones too; an end may be outside(). Some
  // come in two parts.
  struct RawRange {
    Place start, last;
    u64 count;
  };
  std::vector<RawRange> raw_ranges() const;

  // Without the ranges that cannot be: an end outside, or something between the ends that never
  // falls through.
  Counts counts() const;

 private:
  static u64 pair(Place a, Place b) { return u64{a} << 32 | b; }
  BinaryAddr address(Place place) const;

  const binary::CodeMap* code_;
  PairCounter ranges_, branches_;
};

}  // namespace pgokit::samples
