#include "cli/views/density.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/shell_word.h"
#include "pipeline/provenance.h"
#include "profile/model/summary.h"
#include "report/numbers.h"
#include "samples/program_match.h"

namespace pgokit::cli {
namespace {

// What a density means that is below profile::dense_enough.
std::string what_is_enough() {
  return fmt::format("from {:g} on more samples help little", profile::dense_enough);
}

}  // namespace

std::string what_windows_tell(const perf::Windows& windows, std::string_view is) {
  auto likeness = windows.likeness();
  if (windows.are_few() || !likeness)
    return fmt::format("{} little of the program",
                       report::counted(windows.number, "window tells", "windows tell"));
  return fmt::format("the profile {} {:.0f} % like that of an endless recording", is,
                     100 * *likeness);
}

std::string density_of(const perf::Windows& windows, std::string_view way) {
  if (!windows.is_thin() && !windows.likeness()) return "";
  auto told = what_windows_tell(windows, "will be");
  if (!windows.is_thin()) return told;
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

Evidence evidence_of(const pipeline::ReadInput& input) {
  return {.windows = input.windows.of_program(input.counted_elsewhere.rest()),
          .is_of_whole = input.all_counted && !input.part_of_run};
}

Evidence evidence_of(const profile::Notes& notes) {
  auto all = notes.newest();
  return {.windows = {},
          .is_of_whole = !all.empty() && notes.older() == 0 &&
                         std::ranges::all_of(all, &pipeline::is_of_whole_run)};
}

bool is_thin(double density, const Evidence& evidence) {
  if (evidence.is_of_whole) return false;
  return evidence.windows.number > 0 ? evidence.windows.is_thin() : density < profile::dense_enough;
}

std::string density_text(double density, const Evidence& evidence) {
  auto told = evidence.windows.number > 0  ? what_windows_tell(evidence.windows)
              : is_thin(density, evidence) ? what_is_enough()
                                           : "";
  if (told.empty()) return report::fixed(density);
  return fmt::format("{} ({}{})", report::fixed(density),
                     is_thin(density, evidence) ? "thin: " : "", told);
}

}  // namespace pgokit::cli
