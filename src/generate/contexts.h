#pragma once

// Counts per calling context + program → samples of calling contexts.
//
//   auto made = TRY(generate_contexts(program, std::move(counts), {}));
//   use(made.samples);
//
// From pseudo probes, or from debug information, as the counts are. Each calling context has the
// samples of its leaf; nothing is merged, trimmed or nested yet. The
// same samples as llvm-profgen's. The program's functions must be loaded.

#include <memory>

#include "binary/program.h"
#include "generate/context_samples.h"
#include "probe/damage.h"
#include "unwind/context_counts.h"

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

Result<ContextResult> generate_contexts(const binary::Program& program,
                                        unwind::ContextCounts counts,
                                        const ContextProfileOptions& options);

}  // namespace pgokit::generate
