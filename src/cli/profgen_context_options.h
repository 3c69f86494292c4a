#pragma once

// The options of llvm-profgen for context-sensitive profiles.
//
//   ContextSettings contexts;
//   add_context_options(table, generation, contexts);
//   ... parse ...
//   TRY(take_context_settings(contexts, generation));

#include "cli/generation.h"
#include "cli/options.h"

namespace pgokit::cli {

// What is not stored where it belongs by the parser itself.
struct ContextSettings {
  std::string merge_cold;  // whether it was given shows
};

void add_context_options(OptionTable& table, GenerationOptions& generation,
                         ContextSettings& settings);
Status take_context_settings(const ContextSettings& settings, GenerationOptions& generation);

}  // namespace pgokit::cli
