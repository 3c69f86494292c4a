#pragma once

#include "profile/model/profile.h"
#include "program/program.h"
#include "samples/counts.h"
#include "samples/data_accesses.h"

namespace pgokit::generate {

// Body, head and call-target samples by source line, from the debug information.
void add_line_samples(const program::Program& program, std::vector<samples::RangeCount> pieces,
                      std::vector<samples::BranchCount> branches, unsigned threads,
                      profile::Profile& profile);

// Virtual tables that were read, at the places of the instructions that read them.
void add_vtable_samples(const program::Program& program,
                        const std::vector<samples::VtableAccess>& accesses,
                        profile::Profile& profile);

}  // namespace pgokit::generate
