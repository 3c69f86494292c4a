#pragma once

// Folds branch stacks into counts while they are read.
//
//   BranchFolder folder(code);                       // one per thread
//   for (auto [from, to] : newest_first) folder.entry(folder.place_of(from), folder.place_of(to));
//   auto added = folder.end_sample(1);               // weight
//   ...
//   BranchSums all = merge(std::move(folders), threads);
//   Counts counts = all.counts(threads);
//
// A flat profile needs no more than pairs of neighbours: the target of an entry and the source of
// the next newer one enclose a range that ran straight through. So memory follows the distinct
// ranges and branches, not the samples.

#include "program/code_map.h"
#include "samples/branch_sums.h"
#include "samples/pair_counter.h"
#include "samples/step_counter.h"

namespace pgokit::samples {

class BranchFolder {
 public:
  // An instruction of the program, or outside().
  using Place = BranchSums::Place;
  using RawRange = BranchSums::Range;
  static constexpr Place outside() { return static_cast<u32>(program::no_code); }

  explicit BranchFolder(const program::CodeMap& code) : code_(&code) {}

  Place locate(BinaryAddr address) const { return checked(place_of(address)); }
  // Where an address is in the code. Whether an instruction begins there is asked when a step is
  // new: those that are known are so often met that the code need not be looked at.
  Place place_of(BinaryAddr address) const { return static_cast<Place>(code_->index_of(address)); }

  // Of the sample in hand, newest first.
  void entry(Place from, Place to) {
    if (!entries_.empty()) steps_.prefetch({to, entries_.back().from, entries_.back().to});
    entries_.push_back({from, to});
  }
  // A branch that was come to and not taken: execution went on at `to`, behind it.
  void not_taken(Place to) { passed_.push_back(to); }
  struct Added {
    u64 entries = 0;
    u64 elsewhere = 0;  // of these: with both ends outside
    bool used() const { return elsewhere < entries; }
  };
  Added end_sample(u64 weight);
  void drop_sample() {
    entries_.clear();
    passed_.clear();
  }

  friend BranchSums merge(std::vector<BranchFolder> folders, unsigned threads);

 private:
  struct Entry {
    Place from, to;
  };
  Place checked(Place place) const {
    bool known = place != outside() && code_->is_instruction(program::CodeIndex(place));
    return known ? place : outside();
  }
  bool is_checked(Place place) const { return place == checked(place); }
  bool find_steps(Added& added);
  void add_passed(Added& added, u64 weight);
  bool are_checked(const std::vector<Step>& steps) const;
  std::vector<BranchSums::Range> ranges() const;
  std::vector<BranchSums::Branch> branches() const;
  std::vector<BranchSums::Passed> passed() const;

  const program::CodeMap* code_;
  // The sample in hand, newest first.
  std::vector<Entry> entries_;
  std::vector<Place> passed_;
  std::vector<size_t> known_;  // slots of its steps
  std::vector<Step> fresh_;    // those that were not seen before
  Entry oldest_{};             // before which nothing is known
  StepCounter steps_;
  PairCounter oldest_branches_;
  PairCounter passed_places_;
};

// What several threads folded; at least one.
BranchSums merge(std::vector<BranchFolder> folders, unsigned threads);

}  // namespace pgokit::samples
