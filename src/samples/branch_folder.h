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

#include <span>
#include <vector>

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
    ++added_.entries;
    if ((from & to) == outside()) return void(++added_.elsewhere);
    if (has_oldest_) seek({to, oldest_.from, oldest_.to});
    oldest_ = {from, to};
    has_oldest_ = true;
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
    added_ = {};
    has_oldest_ = false;
    sought_count_ = 0;
    passed_.clear();
  }

  friend BranchSums merge(std::vector<BranchFolder> folders, unsigned threads);

 private:
  struct Entry {
    Place from, to;
  };
  struct Sought {
    Step step;
    size_t hash;
  };
  Place checked(Place place) const {
    bool known = place != outside() && code_->is_instruction(program::CodeIndex(place));
    return known ? place : outside();
  }
  bool is_checked(Place place) const { return place == checked(place); }
  void seek(const Step& step) {
    if (sought_count_ == sought_.size()) [[unlikely]]
      sought_.resize(2 * sought_count_ + 32);
    sought_[sought_count_++] = {step, steps_.prefetch(step)};
  }
  std::span<const Sought> sought() const { return std::span(sought_).first(sought_count_); }
  bool find_steps();
  void check_entries();
  void add_passed(u64 weight);
  void prefetch(const Step& step) const;
  std::vector<BranchSums::Range> ranges() const;
  std::vector<BranchSums::Branch> branches() const;
  std::vector<BranchSums::Passed> passed() const;

  const program::CodeMap* code_;
  // The sample in hand, newest first. A step has the branch of an entry, and `oldest_` the last.
  Added added_;
  std::vector<Sought> sought_;  // its steps, the first `sought_count_` of these
  size_t sought_count_ = 0;
  Entry oldest_{};  // before which nothing is known
  bool has_oldest_ = false;
  std::vector<Place> passed_;
  std::vector<size_t> known_;  // slots of its steps
  std::vector<Step> fresh_;    // those that were not seen before
  StepCounter steps_;
  PairCounter oldest_branches_;
  PairCounter passed_places_;
};

// What several threads folded; at least one.
BranchSums merge(std::vector<BranchFolder> folders, unsigned threads);

}  // namespace pgokit::samples
