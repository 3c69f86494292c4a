#pragma once

// What the user is told about a profile that was made: errors for what is useless, warnings for
// what is thin, and where every sample went.

#include <string_view>

#include "pipeline/generation.h"

namespace pgokit::cli {

// Fails for an input of which nothing is the program's.
Status check_input(const program::Program& program, const pipeline::ReadInput& input,
                   const pipeline::GenerationOptions& options);
// Fails for a profile without samples.
Status check_generated(const program::Program& program, const pipeline::ReadInput& input,
                       const pipeline::Generated& generated,
                       const pipeline::GenerationOptions& options);

struct GenerationReport {
  const program::Program& program;
  const pipeline::GenerationOptions& options;
  const pipeline::ReadInput& input;
  const pipeline::Generated& generated;
  std::string_view output, format;
  u64 output_size = 0;
};

// On standard error: accounting, warnings, the next command.
void print_summary(const GenerationReport& report);
// What went in and out, a line each, on standard error.
void print_stats(const GenerationReport& report);
// On standard output.
void print_json(const GenerationReport& report, bool with_stats = false);

}  // namespace pgokit::cli
