#pragma once

// What is asked of a context-sensitive profile, and what the samples of its contexts are made with.

#include <memory>

#include "generate/context/context_samples.h"
#include "probe/table.h"

namespace pgokit::generate {

struct ContextProfileOptions {
  bool infer_missing_frames = true;  // put tail calls back into contexts; probes only
  u64 max_search_depth = ~u64{0};    // tail calls in a row to look at
  i64 max_depth = -1;                // callers kept in a context; negative: all
  i64 compress_recursion = -1;       // longest repeated block to compress; negative: any
  bool update_totals = false;        // total of a function := sum of its body; lines only
  unsigned threads = 0;              // 0: all cores
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
