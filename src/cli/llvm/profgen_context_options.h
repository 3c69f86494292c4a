#pragma once

// The options of llvm-profgen for context-sensitive profiles.
//
//   add_context_options(table, finish);
//   ... parse ...
//   TRY(check_context_options(finish));

#include "cli/options.h"
#include "pipeline/options.h"

namespace pgokit::cli {

void add_context_options(OptionTable& table, pipeline::FinishOptions& finish);
Status check_context_options(const pipeline::FinishOptions& finish);

}  // namespace pgokit::cli
