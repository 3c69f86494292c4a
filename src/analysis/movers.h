#pragma once

// What changed between two profiles, function by function: an Overlap in the order that people ask
// in.
//
//   Movers movers = find_movers(overlap, base, test, Level::function);
//   for (const Mover& m : movers.moved) ...           // by |change of share| downwards
//
// Shares are of all samples of a profile, and a function's samples are those of its places,
// inlinees included.

#include "analysis/overlap.h"

namespace pgokit::analysis {

struct Mover {
  std::string name;  // with its callers at Level::context
  u64 base_samples = 0, test_samples = 0;
  double base_share = 0, test_share = 0;
  double similarity = 0;                     // 0 where it is in one profile only
  u32 base_contexts = 0, test_contexts = 0;  // 0: not in that profile

  double change() const { return test_share - base_share; }
};

struct Movers {
  std::vector<Mover> moved;     // in both profiles
  std::vector<Mover> added;     // in the second only, by share downwards
  std::vector<Mover> vanished;  // in the first only, by share downwards
};

// Of a profile without contexts the two are the same.
enum class Level { function, context };

Movers find_movers(const Overlap& overlap, const profile::Columns& base,
                   const profile::Columns& test, Level level);

}  // namespace pgokit::analysis
