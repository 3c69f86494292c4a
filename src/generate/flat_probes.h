#pragma once

#include "generate/flat.h"

namespace pgokit::generate {

// Body, head and call-target samples by probe.
Status add_probe_samples(const binary::Program& program,
                         const std::vector<samples::RangeCount>& pieces,
                         const samples::Counts& counts, FlatResult& result);

}  // namespace pgokit::generate
