#pragma once

// What `pgokit optimize` prints of what it has done.

#include <string>
#include <vector>

#include "optimize/optimize.h"

namespace pgokit::cli {

struct Optimization {
  const optimize::Settings& settings;
  const optimize::Outcome& outcome;
  const std::vector<std::string>& commands;  // that were run, as they can be typed

  std::string as_text() const;
  std::string as_json() const;
};

}  // namespace pgokit::cli
