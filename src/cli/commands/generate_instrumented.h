#pragma once

// `pgokit generate` of instrumented profiles (.mip): exact counts on the road of samples.

#include "pipeline/generation.h"
#include "profile/format.h"

namespace pgokit::cli {

// Whether the first input is one.
bool is_instrumented_profile(const std::vector<std::string>& inputs);

struct InstrumentedGeneration {
  pipeline::GenerationOptions& options;
  std::string output;
  profile::Format format{};
  profile::WriteOptions write;
  bool json = false, quiet = false;
};

Status generate_instrumented(const InstrumentedGeneration& generation);

}  // namespace pgokit::cli
