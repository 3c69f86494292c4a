#pragma once

// An instrumentation profile as columns, so that it is compared as sample profiles are:
//
//   profile::Columns columns = counted_columns(counted);
//   auto overlap = compute_overlap(columns, other);
//
// A place is a counter: its number is the line, and the lower half of the hash of the function's
// control flow the discriminator, so that the counters of other versions of a function are other
// places. Counters of zero have no place. Functions that were only marked as hot have none either.

#include "instr_profile/model/profile.h"
#include "profile/table/columns.h"

namespace pgokit::analysis {

profile::Columns counted_columns(const instr_profile::Profile& profile);

}  // namespace pgokit::analysis
