#pragma once

// The options of llvm-profgen for context-sensitive profiles.
//
//   add_context_options(table, generation);
//   ... parse ...
//   TRY(check_context_options(generation));

#include "cli/options.h"
#include "pipeline/generation.h"

namespace pgokit::cli {

void add_context_options(OptionTable& table, pipeline::GenerationOptions& generation);
Status check_context_options(const pipeline::GenerationOptions& generation);

}  // namespace pgokit::cli
