#pragma once

// Recordings → calls, weights of functions, and traces.
//
//   auto facts = TRY(order::add_samples(bytes, program, symbols, options, model, cuts));
//
// Where the recorder has counted all branches, of the whole run or of windows, calls and weights are
// those of the counts (order/from_counts.h), unless one process is asked for. Else calls are
// branches to the first instruction of a function (branch stacks), and neighbours in call chains;
// weights are samples. A trace is the functions of one process in the order in which they were
// first seen: as coarse as the samples are, so only made where it is asked for.

#include "order/cut.h"
#include "order/symbols.h"
#include "program/program.h"

namespace pgokit::order {

struct SampleOptions {
  Cut cut = {};
  bool traces = false;
  u64 weight = 1;
  std::string source = {};  // for messages
  std::optional<u32> pid = {};
  bool ignore_build_id = false;
  unsigned threads = 0;
};

struct SampleFacts {
  u64 samples = 0, used = 0, elsewhere = 0, unreadable = 0;
  u64 calls = 0;               // that were seen, not different ones
  bool all_counted = false;    // all branches were counted: there are no first runs
  bool together = false;       // branches were counted, of all processes together
  u64 counted = 0;             // branches of the program, where the recorder has counted them
  bool late = false;           // traces were wanted of text, which has no times
  std::string cut_short = {};  // why the recording is not whole
};

// perf.data, or text of perf script. `symbols` are those of the program. Text with branch stacks or
// call chains wants the program's functions loaded.
Result<SampleFacts> add_samples(Bytes bytes, const program::Program& program,
                                const LinkSymbols& symbols, const SampleOptions& options,
                                Model& model, CutFacts& cuts);

}  // namespace pgokit::order
