#pragma once

// What the commands that optimize a program have in common: `pgokit optimize` and `cargo pgokit`.
//
//   Optimizing o;                                   // its members are those of an option table
//   TRY(o.check());
//   auto outcome = TRY(o.run());                    // the commands are shown as they are run
//   o.print(outcome);

#include <string>
#include <string_view>
#include <vector>

#include "optimize/optimize.h"

namespace pgokit::cli {

struct Optimizing {
  optimize::Settings settings = {};
  std::string with = {};  // builds, separated by commas
  bool json = false, quiet = false;
  std::vector<std::string> given = {};     // options
  std::vector<std::string> commands = {};  // that were run

  bool is_given(std::string_view option) const;
  // --with, --runs and --for.
  Status check();
  Result<optimize::Outcome> run();
  // The measurement and what was kept.
  void print(const optimize::Outcome& outcome) const;
};

}  // namespace pgokit::cli
