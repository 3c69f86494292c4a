#pragma once

// What is asked of a context-sensitive profile, and what the samples of its contexts are made with.

#include <memory>

#include "generate/context/context_samples.h"
#include "probe/table.h"
#include "unwind/context_policy.h"

namespace pgokit::generate {

struct ContextProfileOptions {
  unwind::ContextPolicy policy = {};
  bool update_totals = false;  // total of a function := sum of its body; lines only
  bool lost_loops = true;      // have probes again, see functions/lost_loops.h
  unsigned threads = 0;        // 0: all cores
};

struct ContextResult {
  ContextSamples samples;
  std::vector<bool> functions_hit;    // by number of function: those whose code matters
  u64 probes_without_descriptor = 0;  // their function is not known: left out
  probe::Damage probe_damage;
  std::unique_ptr<probe::Table> probe_table;  // probes only; what `probes` refers to
  probe::Decoded probes;                      // of the functions hit
};

}  // namespace pgokit::generate
