#pragma once

// Counts → the profile that is written.
//
//   Generated made = TRY(generate_profile(program, input, options));

#include "pipeline/read_input.h"
#include "probe/damage.h"
#include "profile/model/summary.h"

namespace pgokit::pipeline {

struct Generated {
  profile::Profile profile;
  profile::Summary summary;
  profile::Density density;
  u64 probes_without_descriptor = 0;
  probe::Damage probe_damage;
};

// Takes counts, contexts or profile out of the input. The program's functions are loaded.
Result<Generated> generate_profile(const program::Program& program, ReadInput& input,
                                   const RoadOptions& options);

}  // namespace pgokit::pipeline
