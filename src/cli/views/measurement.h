#pragma once

// What `pgokit measure` prints of what it has measured.

#include <optional>
#include <string>
#include <vector>

#include "measure/measurement.h"
#include "report/json.h"

namespace pgokit::cli {

// The commands, the first of which is what the others are compared with.
struct MeasuredCommands {
  const measure::Plan& plan;
  const measure::Measurement& measurement;
  measure::Figure by = measure::Figure::cpu_time;  // what the verdict is about
  double confidence = 0.95;                        // of all verdicts together

  // nullopt: there are too few rounds.
  std::optional<measure::Ratio> ratio(size_t command, measure::Figure figure) const;
  std::string name(size_t command) const;  // that of the plan, or A, B, ... Z, 27, 28
  // In words: "B is 11.2 % faster than A, 9.8 to 12.9 % (CPU time, 95 %)".
  std::string verdict(size_t command) const;
  std::vector<std::string> notes() const;
  bool differs_from_medians(size_t command) const;

  std::string as_text() const;
  report::Json json() const;
  std::string as_json() const;
};

}  // namespace pgokit::cli
