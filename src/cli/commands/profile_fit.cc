#include "cli/commands/profile_fit.h"

namespace pgokit::cli {

Result<FittedProgram> fit_with(const profile::Profile& profile, const std::string& binary,
                               unsigned threads) {
  bool probes = profile.flags.probe_based;
  program::ProgramOptions how;
  how.use_dwarf = !probes;
  auto program = TRY(program::Program::open(binary, how));
  TRY(program.load_functions(threads));
  auto shape = TRY_IN(binary, analysis::read_shape(program, probes, threads));
  auto fit = analysis::measure_fit(profile, shape);
  return FittedProgram{std::move(program), fit};
}

}  // namespace pgokit::cli
