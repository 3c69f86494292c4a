#pragma once

#include "binary/program.h"
#include "profile/profile.h"
#include "samples/counts.h"

namespace pgokit::generate {

// Body, head and call-target samples by source line, from the debug information.
void add_line_samples(const binary::Program& program,
                      const std::vector<samples::RangeCount>& pieces,
                      const std::vector<samples::BranchCount>& branches, unsigned threads,
                      profile::Profile& profile);

}  // namespace pgokit::generate
