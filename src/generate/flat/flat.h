#pragma once

// Counts + program → flat (context-insensitive) sample profile.
//
//   FlatResult made = TRY(generate_flat(program, std::move(counts), {}));
//
// From debug information, or from pseudo probes where the program has them: the same samples as
// llvm-profgen's, function by function, but for lost loops. The program's functions must be loaded.

#include "probe/damage.h"
#include "profile/model/profile.h"
#include "program/program.h"
#include "samples/counts.h"

namespace pgokit::generate {

struct FlatOptions {
  bool update_totals = false;  // total of a function := sum of its body
  bool zero_for_all = false;   // report every function of the program, sampled or not
  bool only_counted = false;   // nothing is known of other code: it gets no counts of zero
  bool lost_loops = true;      // have probes again, see functions/lost_loops.h
  unsigned threads = 0;        // 0: all cores
};

struct FlatResult {
  profile::Profile profile;
  u64 probes_without_descriptor = 0;  // their function is not known: left out
  probe::Damage probe_damage;
};

Result<FlatResult> generate_flat(const program::Program& program, samples::Counts counts,
                                 const FlatOptions& options);

}  // namespace pgokit::generate
