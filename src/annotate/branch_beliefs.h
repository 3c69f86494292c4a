#pragma once

// Branches whose probability the compiler held for another one than was measured: by the block map
// of a program, the profile that it was compiled with and, where there is one, a recording of it.
//
//   auto told = TRY(branch_beliefs({.program = &program, .profile = &profile, .counts = &counts}));
//   for (const BranchBelief& one : told.wrong) use(one.file, one.line, one.believed, one.measured);
//
// Without counts of the program itself, what the profile has for the blocks behind a branch is the
// measure; branches whose blocks it does not tell apart are left out then.

#include <optional>
#include <string>
#include <vector>

#include "annotate/code_counts.h"
#include "profile/model/profile.h"
#include "program/program.h"

namespace pgokit::annotate {

enum class BeliefCause : u8 {
  no_samples,         // the profile has none for the blocks that only the branch leads to
  no_discriminators,  // the profile has the same places for the blocks behind the branch
  copied,             // the profile has the sum of several copies, each of which runs differently
  divided,            // a part of a branch that the compiler held rightly as a whole
  even,               // all ways were held for equally likely: nothing told them apart
  joined,             // all ways are entered from elsewhere too: the profile has no counts of ways
  unclear,            // code was copied, merged or moved: which samples are of which block?
  thin,               // the profile has too few samples there
  runs_differently,   // the compiler held what the profile says, and the program does otherwise
  not_followed,       // the profile says what was measured
};
// "no-samples", and what it means.
struct BeliefDescription {
  std::string_view name, sentence;
};
const BeliefDescription& description_of(BeliefCause cause);

// Shares are from 0 to 1, of one successor of the branch's block: that of the largest difference.
struct BranchBelief {
  u64 address = 0;       // of the last instruction of the block
  u64 target = 0;        // where the successor begins
  std::string function;  // that the code is in
  std::string source;    // the function that the branch is written in: inlined ones differ
  std::string file;      // empty: not known
  u32 line = 0;
  double believed = 0, measured = 0;
  std::optional<double> profiled;  // where counts are the measure
  BeliefCause cause = BeliefCause::not_followed;
  u64 ran = 0;    // of the measure: how often the branch ran
  u64 worth = 0;  // of these: more, or fewer, than believed
};

struct BranchBeliefs {
  u64 judged = 0;                   // branches
  u64 ran = 0;                      // all of them together
  u64 worth = 0;                    // of `wrong`
  std::vector<BranchBelief> wrong;  // by worth downwards
};

struct BeliefInput {
  const program::Program* program = nullptr;  // its functions are loaded
  const profile::Profile* profile = nullptr;
  const CodeCounts* counts = nullptr;  // of this program; null: none
  double least_difference = 0.1;       // of shares
};

// Nothing is judged where the block map has no probabilities. An error where it is damaged.
Result<BranchBeliefs> branch_beliefs(const BeliefInput& input);

}  // namespace pgokit::annotate
