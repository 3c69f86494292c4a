#include "cli/views/density.h"

#include <fmt/format.h>

#include "profile/model/summary.h"
#include "report/numbers.h"

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

std::string what_is_enough() {
  return fmt::format("from {:g} on more samples help little", profile::dense_enough);
}

std::string density_text(double density) {
  auto text = report::fixed(density);
  return density < profile::dense_enough ? fmt::format("{} (thin: {})", text, what_is_enough())
                                         : text;
}

}  // namespace pgokit::cli
