#include "cli/commands/profile_fit.h"

#include "cli/built_programs.h"

namespace pgokit::cli {

Result<FittedProgram> fit_with(const profile::Profile& profile, const std::string& binary,
                               unsigned threads) {
  auto built =
      TRY(open_built({.files = {binary}, .probes = profile.flags.probe_based, .threads = threads}));
  auto fit = analysis::measure_fit(profile, built.shape);
  return FittedProgram{std::move(built.programs[0]), fit};
}

}  // namespace pgokit::cli
