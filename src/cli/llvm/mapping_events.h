#pragma once

// llvm-profgen's list of where programs and libraries were loaded.

#include "pipeline/options.h"

namespace pgokit::cli {

// Of the input that `options` name, in its order. Nothing for raw counts.
Status print_mapping_events(const pipeline::ReadOptions& options);

}  // namespace pgokit::cli
