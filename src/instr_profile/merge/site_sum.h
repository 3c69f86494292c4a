#pragma once

// Adds up the values of sites.
//
//   add_sites(into, from, weight, Rules::llvm, mismatch);

#include "instr_profile/merge/sum.h"

namespace pgokit::instr_profile {

void add_sites(SiteValues& into, const SiteValues& from, u64 weight, Rules rules,
               const TakeMismatch& mismatch);

// As they are kept: by count downwards, and not more than files hold.
SiteValues first_of_sum(const SiteValues& values, u64 weight, Rules rules,
                        const TakeMismatch& mismatch);

}  // namespace pgokit::instr_profile
