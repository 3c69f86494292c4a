#pragma once

// The functions whose profile makes a program slower, and the sites in them.
//
//   Settings settings{.profile = "app.prof", .build = "make", .run = "./app train"};
//   auto outcome = TRY(bisect(settings));
//   for (const auto& culprit : outcome.culprits) print(culprit.functions[0]);
//
// The program is built with profiles from which functions are left out, and each build is measured
// beside the one without those that were found so far. Among the sites of a function that was found
// the search goes on in the same way. A journal keeps every result, so that an interrupted command
// goes on.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "bisect/sites.h"
#include "measure/measurement.h"
#include "optimize/toolchain.h"
#include "optimize/work_folder.h"

namespace pgokit::bisect {

struct Settings {
  std::string profile;
  // For a shell. The build uses the profile $PGOKIT_PROFILE, or that in place of {profile}; where it
  // names neither, the compiler gets it as optimize::FlagsBy::wrapper gives options.
  std::string build, run;
  std::optional<std::string> clean = {};
  std::string program = {};  // empty: the first word of `run`, where that is a file
  std::string output = {};   // the profile without them; empty: in the folder
  std::string folder = ".pgokit-bisect";
  std::string only = {};         // the sites of this function alone; empty: all functions
  bool whole_functions = false;  // do not look for sites
  u64 rounds = 16;               // of each comparison
  double least_change = 1;       // percent; less is no difference
  // 0: of functions, and of the sites of each that was found, twice the logarithm of their number.
  u64 most_builds = 0;
  bool restart = false;
  // Options of the compiler, beside the profile, and what a profile by probes wants too.
  std::vector<std::string> profiling = {};
  std::string probes = {};
  optimize::Say say = {};
  std::function<void(const measure::Step& step)> progress = {};
};

// Sites that were left out together, mostly one.
struct SiteCulprit {
  std::vector<Site> sites;
  measure::Ratio ratio;
};

struct Culprit {
  std::vector<std::string> functions;  // one, or those that are worse only together
  measure::Ratio ratio;  // of the time without them to that with them; of sites: without these
  // Of the one function; without them, but with the others, it is as fast as without all of it.
  std::vector<SiteCulprit> sites = {};
  bool is_whole = true;         // all of it is left out, though some of its sites were found
  size_t unresolved_sites = 0;  // something among so many; no build was left to tell what
};

struct Outcome {
  size_t functions = 0;  // of the profile
  u64 builds = 0;
  bool by_probes = false;
  std::vector<Culprit> culprits;
  std::string output;                   // empty: nothing was left out
  std::string program;                  // built with the whole profile
  std::vector<std::string> unresolved;  // something among them; no build was left to tell what
  bool exhausted = false;               // more builds could find more
};
inline constexpr double confidence = 0.95;  // of all comparisons of a search together

Result<Outcome> bisect(const Settings& settings);

}  // namespace pgokit::bisect
