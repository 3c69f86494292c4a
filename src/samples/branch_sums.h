#pragma once

// What branch stacks come to when all are folded: each range and branch once, with its sum.
//
//   BranchSums sums = merge(std::move(folders), threads);
//   diagnose(sums.raw_ranges(), code, functions);
//   Counts counts = sums.counts(threads);

#include <vector>

#include "program/code_map.h"
#include "program/functions.h"
#include "samples/counts.h"

namespace pgokit::samples {

class BranchSums {
 public:
  using Place = u32;  // see BranchFolder
  struct Range {
    Place start, last;
    u64 count;
  };
  struct Branch {
    Place from, to;
    u64 count;
  };

  // Behind branches that were not taken.
  struct Passed {
    Place to;
    u64 count;
  };

  explicit BranchSums(const program::CodeMap& code) : code_(&code) {}
  // All ascending by their places.
  BranchSums(const program::CodeMap& code, std::vector<Range> ranges, std::vector<Branch> branches,
             std::vector<Passed> passed = {})
      : code_(&code),
        ranges_(std::move(ranges)),
        branches_(std::move(branches)),
        passed_(std::move(passed)) {}

  // For stacks of one branch each, which enclose no ranges: what ran is what is from the target of
  // each branch to the next branch, in the same function.
  void add_ranges_to_next_branch(const program::FunctionTable& functions);

  // Every range between two neighbouring entries, broken ones too; an end may be outside.
  const std::vector<Range>& raw_ranges() const { return ranges_; }

  // Without the ranges that cannot be: an end outside, or something between the ends that never
  // falls through.
  Counts counts(unsigned threads = 1) const;

 private:
  BinaryAddr address(Place place) const;
  std::vector<RangeCount> possible_ranges(unsigned threads) const;
  std::vector<BranchCount> branches() const;

  const program::CodeMap* code_;
  std::vector<Range> ranges_;
  std::vector<Branch> branches_;
  std::vector<Passed> passed_;
};

}  // namespace pgokit::samples
