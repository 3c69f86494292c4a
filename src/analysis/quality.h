#pragma once

// How good a profile is, and how well it fits a program: what `pgokit check` asks.
//
//   Quality quality = measure_quality(columns, density);
//   Fit fit = measure_fit(profile, shape);

#include <string>
#include <vector>

#include "analysis/program_shape.h"
#include "profile/model/summary.h"
#include "profile/table/columns.h"

namespace pgokit::analysis {

// Shares are from 0 to 1; nullopt where there is nothing to measure.
struct Quality {
  u64 functions = 0, samples = 0, places = 0;
  double density = 0;  // samples per place of the last function that is needed for 99 %

  // Entries beside calls, of functions that both are known of: sum of the smaller / sum of the
  // larger. What is called is entered, so it is near 1 but for callers that have no samples.
  std::optional<double> entries_match_calls;
  u64 functions_with_calls = 0;
  // Calls seen at a place beyond its count, of all calls: no place calls more often than it runs.
  std::optional<double> calls_beyond_places;
  struct Odd {
    std::string function;
    u64 entries = 0, calls = 0;
  };
  std::vector<Odd> odd;  // the largest differences of entries and calls, downwards
};

Quality measure_quality(const profile::Columns& profile, double density);

struct Fit {
  struct Part {
    u64 functions = 0, samples = 0;
  };
  // Of each function: what a compiler makes of it.
  enum class State : u8 { unchanged, changed, other_path, vanished };
  struct Function {
    NameId name{};              // of the profile
    std::optional<NameId> now;  // of the shape
    State state = State::unchanged;
    u64 samples = 0;  // of its places; where it is lost, of what is inlined into it too
  };
  std::vector<Function> functions;

  Part all;
  Part vanished;  // the program has no function of that name: lost, with all that is inlined there
  Part other_path;                           // of these: static functions of files elsewhere
  Part changed;                              // another checksum, or call sites that are elsewhere
  u64 call_sites = 0, call_sites_there = 0;  // of profiles of lines
  u64 code_bytes = 0, covered_bytes = 0;     // of functions with samples
  std::vector<std::string> vanished_names;   // but for those of other paths; by samples downwards
  std::vector<std::string> changed_names;

  double stale_share() const;    // samples of both kinds, of all
  double covered_share() const;  // of the program's code
};

// Of the samples; more of them lost, and it is no profile of the program any more.
inline constexpr double most_stale_percent = 20;

// Both are of probes, or both of lines.
Fit measure_fit(const profile::Profile& profile, const ProgramShape& shape);

}  // namespace pgokit::analysis
