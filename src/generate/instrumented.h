#pragma once

// What instrumentation counted, as what sampling would have found: exact counts take the same road
// to profiles as samples.
//
//   auto counted = instrumented_counts(profile, module, program);      // blocks were counted
//   auto flat = TRY(generate_flat(program, counted.counts, {}));
//   list_never_ran(module, inlined, flat.profile);
//
// Where only functions were counted or covered, profiles say how often functions were entered, or
// which never ran: clang takes those that are on the symbol list and not in the profile for cold.

#include "instrument/inlined.h"
#include "instrument/module.h"
#include "profile/model/profile.h"
#include "program/program.h"
#include "samples/counts.h"

namespace pgokit::generate {

struct InstrumentedCounts {
  samples::Counts counts;
  u64 calls = 0;                 // executions of calls in the blocks that ran
  u64 calls_without_target = 0;  // indirect ones, whose target neither targets nor edges tell
};

// A range per block of the functions that ran; a branch per direct call, and per target of an
// indirect call where targets were recorded or calls sampled: then the block tells how many, and
// the samples to whom. Entries from elsewhere are branches from outside. Where targets were
// recorded and no blocks counted, the calls are all that is known to have run, and the beginnings of
// functions whose calls were counted.
InstrumentedCounts instrumented_counts(const instrument::Profile& profile,
                                       const instrument::Module& module,
                                       const program::Program& program);

// Entries of functions, by lines or probes; what is inside of them stays unknown.
Result<profile::Profile> entry_profile(const instrument::Module& module,
                                       const program::Program& program);

// Nothing but what the symbol list needs to be believed: its summary has a count, that of a
// function that no program has.
profile::Profile coverage_profile();

// Puts functions that never ran on the symbol list, but for `inlined`.
void list_never_ran(const instrument::Module& module, const instrument::InlinedRuns& inlined,
                    profile::Profile& profile);

}  // namespace pgokit::generate
