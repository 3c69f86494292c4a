#pragma once

// A profile of an older build, made to fit a newer one.
//
//   auto shape = TRY(read_shape(program, profile.flags.probe_based, threads));
//   StaleReport report;
//   Profile fitting = match_profile(profile, shape, report);
//
// Functions are found by name; those whose name is gone, by who calls them where, by checksum and
// by whom they call. The places of a function that changed are found by its call sites
// (place_map.h). A function is taken for changed where its checksum differs (probes), or where its
// places fit better elsewhere (lines). What is not found is left out.

#include <string>
#include <vector>

#include "analysis/program_shape.h"
#include "profile/model/profile.h"

namespace pgokit::analysis {

struct StaleReport {
  struct Functions {
    u64 functions = 0, samples = 0;  // of their places; with inlinees where not found by name
  };
  struct Renamed {
    std::string from, to;
    u64 samples = 0;
  };
  Functions all, unchanged, moved, lost;
  Functions other_path;  // static functions of files elsewhere; in unchanged or moved, too
  u64 changed_without_call_sites = 0;        // taken as they are: nothing to align them by
  u64 call_sites = 0, call_sites_found = 0;  // of functions that changed
  u64 places_moved = 0;
  std::vector<Renamed> renamed;         // by samples downwards; in unchanged or moved, too
  std::vector<std::string> lost_names;  // by samples downwards
};

profile::Profile match_profile(const profile::Profile& old, const ProgramShape& shape,
                               StaleReport& report);

}  // namespace pgokit::analysis
