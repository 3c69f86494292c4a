#pragma once

#include "generate/flat/flat.h"

namespace pgokit::generate {

// Body, head and call-target samples by probe. `hit`: the functions whose probes are wanted.
Status add_probe_samples(const program::Program& program,
                         const std::vector<samples::RangeCount>& pieces,
                         const std::vector<samples::BranchCount>& branches,
                         const std::vector<bool>& hit, const FlatOptions& options,
                         FlatResult& result);

}  // namespace pgokit::generate
