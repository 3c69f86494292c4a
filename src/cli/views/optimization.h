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

 private:
  std::string one_build() const;
  std::string explaining() const;
  std::string where_it_ran() const;
  std::string more_to_measure() const;
  bool profile_is_slower() const;
  std::string bisecting() const;
  // The options of a build in another one.
  std::string own_build(const optimize::Build& build, std::string_view before) const;
};

}  // namespace pgokit::cli
