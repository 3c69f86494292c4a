#pragma once

// First runs of functions, as one dump tells them: the trace of one run of a program, whichever way
// of noting it was instrumented with (MIP_ORDER, MIP_ORDER_LOG, MIP_ORDER_CALLS).
//
//   instrument::Trace trace = instrument::trace_of(module, dump);
//   for (const auto& run : trace.runs) use(module.functions[run.function]);

#include <tsl/robin_map.h>

#include <vector>

#include "instrument/dump.h"
#include "instrument/module.h"

namespace pgokit::instrument {

// Which functions the entries of logs are.
class LoggedFunctions {
 public:
  // In place of a number of a function.
  static constexpr u32 unknown = ~u32{0}, several = ~u32{0} - 1;

  explicit LoggedFunctions(const Module& module);
  u32 of(const DumpOrderId& id) const;
  u32 of(const DumpOrderCall& call) const;

 private:
  const Module& module_;
  tsl::robin_map<u64, u32> by_id_;
};

struct TracedRun {
  u32 function = 0;  // number in its module
  u32 sequence = 0;  // from 1; of a ring that wrapped, the first ones are missing
  u32 microseconds = 0;
  bool operator==(const TracedRun&) const = default;
};

struct Trace {
  std::vector<TracedRun> runs;  // by sequence; each function once
  bool has_times = true;        // a ring of ids tells none
  u64 unknown = 0;              // entries of no function of the module
  u64 ambiguous = 0;            // entries whose ids two functions have: left out
  u64 lost = 0;  // entries of the log that others have overwritten, or that had no room
};

// Times in it depend on the process only as far as its run did: they count from its start.
Trace trace_of(const Module& module, const Dump& dump);

// From logs alone: what the boxes tell is left out.
Trace logged_trace(const Module& module, const Dump& dump);

}  // namespace pgokit::instrument
