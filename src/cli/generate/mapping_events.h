#pragma once

// llvm-profgen's list of where programs and libraries were loaded.

#include "cli/generate/generation.h"

namespace pgokit::cli {

// Of the input that `options` name, in its order. Nothing for raw counts.
Status print_mapping_events(const GenerationOptions& options);

}  // namespace pgokit::cli
