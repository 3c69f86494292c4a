#pragma once

// The options of llvm-profgen for context-sensitive profiles.
//
//   add_context_options(table, generation);
//   ... parse ...
//   TRY(check_context_options(generation));

#include "cli/generate/generation.h"
#include "cli/options.h"

namespace pgokit::cli {

void add_context_options(OptionTable& table, GenerationOptions& generation);
Status check_context_options(const GenerationOptions& generation);

}  // namespace pgokit::cli
