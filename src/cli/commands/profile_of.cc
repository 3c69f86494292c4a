#include "cli/commands/profile_of.h"

#include "cli/views/generation.h"
#include "pipeline/inputs.h"
#include "pipeline/road.h"

namespace pgokit::cli {
namespace {

// Ends the journey where the profile would be useless, as that of `pgokit generate`.
class Checks : public pipeline::Traveller {
  Status read(pipeline::Road& road) override { return check_input(road); }
  Status made(pipeline::Road& road) override { return check_generated(road); }
};

}  // namespace

bool has_counts(Bytes bytes) {
  const auto* kind = pipeline::identify(bytes);
  return kind && kind->read && kind != &pipeline::inputs::sample_profile;
}

Result<MadeProfile> profile_of(const ProfileOf& options) {
  pipeline::RoadOptions chosen;
  chosen.read.inputs = {options.input};
  chosen.read.ignore_build_id = options.ignore_build_id;
  chosen.read.run_to_next_branch = true;
  chosen.binary = options.binary;
  chosen.program.use_dwarf = options.use_dwarf;
  chosen.output = &pipeline::outputs::extbinary;
  pipeline::Road road(std::move(chosen));
  Checks checks;
  TRY(road.make(checks));
  auto bytes = TRY(profile::write_profile(road.generated.profile, profile::Format::extbinary));
  return MadeProfile{std::move(bytes), road.program->path()};
}

}  // namespace pgokit::cli
