#pragma once

// Branches that one branch of the source became, and how they run together.
//
//   BranchGroups groups(branches, samples, predecessors);  // of one function, with counts
//   if (groups.copies_agree(branch, way, 0.1)) use(branch.block);

#include <optional>
#include <span>
#include <unordered_map>

#include "annotate/block_samples.h"
#include "annotate/branch_ways.h"

namespace pgokit::annotate {

class BranchGroups {
 public:
  // All but branches only for the call. `predecessors`: how many each block has, calls being one.
  BranchGroups(std::span<const BranchWays> branches, const BlockSamples& samples,
               std::span<const u32> predecessors);

  // There are several copies of the branch, held alike, and together they go this way as often as
  // they are held for, by less than this difference of shares.
  bool copies_agree(const BranchWays& branch, size_t way, double difference) const;

  // The branch is one of several that have one place of the profile between them, each entered from
  // another of these: `a || b`, or the comparisons of a switch. Together they leave for other
  // blocks as often as they are held for.
  bool parts_agree(const BranchWays& branch, double difference) const;

 private:
  using Numbers = std::vector<u32>;
  std::optional<size_t> way_of(const BranchWays& copy, const BranchWays& branch, size_t way) const;
  const BranchWays* whole_of(const BranchWays& branch) const;

  std::span<const BranchWays> branches_;
  std::unordered_map<u32, u32> by_block_;                 // number of the branch
  std::unordered_map<u32, u32> parents_;                  // of parts: the branch that leads to it
  std::unordered_map<u64, Numbers> by_source_, by_ways_;  // where the same place, or ways
};

}  // namespace pgokit::annotate
