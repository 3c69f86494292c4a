#pragma once

#include "binary/program.h"
#include "profile/profile.h"
#include "samples/counts.h"
#include "samples/data_accesses.h"

namespace pgokit::generate {

// Body, head and call-target samples by source line, from the debug information.
void add_line_samples(const binary::Program& program, std::vector<samples::RangeCount> pieces,
                      std::vector<samples::BranchCount> branches, unsigned threads,
                      profile::Profile& profile);

// Virtual tables that were read, at the places of the instructions that read them.
void add_vtable_samples(const binary::Program& program,
                        const std::vector<samples::VtableAccess>& accesses,
                        profile::Profile& profile);

}  // namespace pgokit::generate
