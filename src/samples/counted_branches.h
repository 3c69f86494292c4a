#pragma once

// Branch counts of a recording → ranges and branches of one program.
//
//   auto counted = TRY(perf::decode_branch_counts(recording.features().branch_counts));
//   BranchSums sums = sums_of(counted, code, match, any_build, maps);
//
// Where all branches of a stretch of execution are counted, what ran between them follows: what
// comes to an address, by branches or from above, goes on to the next branch, and is taken there or
// passes it.

#include "perf/branch_counts.h"
#include "program/code_map.h"
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
  const program::CodeMap* code_;
  const ProgramMaps* maps_;
  std::vector<bool> of_program_;  // by file
};

BranchSums sums_of(const perf::BranchCounts& counted, const program::CodeMap& code,
                   const ProgramMatch& match, bool any_build, const ProgramMaps& maps);

}  // namespace pgokit::samples
