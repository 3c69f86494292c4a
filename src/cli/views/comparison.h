#pragma once

// What `pgokit compare` prints.

#include "analysis/movers.h"

namespace pgokit::cli {

struct Compared {
  std::string base_path, test_path;
  // What recordings were found to be of; empty: it was named, or they are profiles.
  std::string base_program, test_program;
  const profile::Columns& base;
  const profile::Columns& test;
  const analysis::Overlap& overlap;
  u64 top = 10;          // lines of each list; 0: all
  std::string function;  // its places in full
  bool mangled = false;
  bool counted = false;  // both are instrumentation profiles, whose places are counters
};

// Fails where neither profile has the function that is asked for.
Status check_function(const Compared& compared);

std::string compare_text(const Compared& compared);
std::string compare_json(const Compared& compared);

}  // namespace pgokit::cli
