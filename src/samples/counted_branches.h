#pragma once

// Branch counts of a recording → ranges and branches of one program.
//
//   if (has_branch_counts(recording)) {
//     auto counted = TRY(counted_branches(recording, program, maps, any_build));
//     use(counted.sums.counts());
//   }
//
// Where all branches of a stretch of execution are counted, what ran between them follows: what
// comes to an address, by branches or from above, goes on to the next branch, and is taken there or
// passes it.

#include "base/saturated.h"
#include "perf/branch_counts.h"
#include "perf/recording.h"
#include "program/program.h"
#include "samples/branch_sums.h"
#include "samples/program_maps.h"
#include "samples/program_match.h"

namespace pgokit::samples {

// Where in the program the places of counts are.
class CountedPlaces {
 public:
  CountedPlaces(const perf::BranchCounts& counted, const program::CodeMap& code,
                const ProgramMatch& match, bool any_build, const ProgramMaps& maps);

  // An instruction, or BranchFolder::outside().
  BranchSums::Place operator()(const perf::BranchCounts::Place& at) const;

 private:
  bool in_program(const perf::BranchCounts::Place& at) const {
    return at.file < of_program_.size() && of_program_[at.file];
  }

  const program::CodeMap* code_;
  const ProgramMaps* maps_;
  std::vector<bool> of_program_;  // by file
};

struct BranchShare {
  u64 part = 0, all = 0;
  void add(const BranchShare& other) {
    part = add_saturated(part, other.part), all = add_saturated(all, other.all);
  }
  // What is not in `part`, 0 to 1; of nothing it is all.
  double rest() const {
    return all ? static_cast<double>(all - part) / static_cast<double>(all) : 1;
  }
};

struct CountedBranches {
  BranchSums sums;
  perf::Windows windows;     // none: all was counted
  bool all_counted = false;  // nothing is missing but
  u64 uncounted_stretches = 0;
  bool part_of_run = false;  // and what ran before and after it
  BranchShare elsewhere;     // made by code of other programs and libraries
};

inline bool has_branch_counts(const perf::Recording& recording) {
  return !recording.features().branch_counts.empty();
}

// Of a recording that has them. `any_build`: another build of the program will do.
Result<CountedBranches> counted_branches(const perf::Recording& recording,
                                         const program::Program& program, const ProgramMaps& maps,
                                         bool any_build);

BranchSums sums_of(const perf::BranchCounts& counted, const program::CodeMap& code,
                   const CountedPlaces& place);
// Made by code of other programs and libraries.
BranchShare elsewhere_of(const perf::BranchCounts& counted, const ProgramMatch& match,
                         bool any_build);

}  // namespace pgokit::samples
