#include "cli/views/density.h"

#include <fmt/format.h>

#include "base/shell_word.h"
#include "profile/model/summary.h"
#include "report/numbers.h"
#include "samples/program_match.h"

namespace pgokit::cli {

std::string density_of(const perf::Windows& windows, std::string_view way) {
  std::string told;
  if (auto likeness = windows.likeness())
    told = fmt::format("the profile will be {:.0f} % like that of an endless recording",
                       100 * *likeness);
  if (!windows.is_thin()) return told;
  if (windows.are_few())
    told = fmt::format("{} little of the program",
                       report::counted(windows.number, "window tells", "windows tell"));
  return fmt::format("{}: for a denser profile record again with {}", told, way);
}

std::string ways_to_more_of(std::string_view program, double share) {
  constexpr double most = 0.5;
  if (share > most || samples::is_library(program)) return std::string(ways_to_more);
  return fmt::format("--only {} if other programs ran too, {}",
                     shell_word(samples::file_name(program)), ways_to_more);
}

std::string uncounted_text(u64 stretches) {
  if (stretches == 0) return "";
  return fmt::format(
      "code that is generated at run time was met {}, and what followed for a while is not "
      "counted: a recording without --exact does not miss that",
      report::counted(stretches, "time"));
}

std::string what_is_enough() {
  return fmt::format("from {:g} on more samples help little", profile::dense_enough);
}

std::string density_text(double density) {
  auto text = report::fixed(density);
  return density < profile::dense_enough ? fmt::format("{} (thin: {})", text, what_is_enough())
                                         : text;
}

}  // namespace pgokit::cli
