#pragma once

// perf.data → traces of one program, or of several in one reading.
//
//   auto read = TRY(read_traces(recording, program, {}));
//   use(read.traces, read.use);
//
//   const program::Program* programs[] = {&app, &library};
//   auto all = TRY(read_traces(recording, programs, {}));        // in their order
//   use(all[1].traces);
//
// Every entry of a branch stack counts, with those on a wrong path, as for perf2bolt; entries of
// the kernel are left out as if they were not there, unless they are asked for. Of several programs
// each has what it would have alone.

#include <span>

#include "bolt/profile.h"
#include "bolt/traces.h"
#include "perf/recording.h"
#include "samples/recording_counts.h"

namespace pgokit::bolt {

// How a program was in a recording, and what became of the samples.
struct RecordingFacts {
  samples::SampleUse use;
  samples::EventChoice events;
  perf::ReadCounts unreadable;
  u64 mappings = 0;         // of the program's code; 0: it did not run, nothing is counted
  std::string other_build;  // build id of another build of the program that ran
  bool matched_by_name = false;
  u64 processes = 0;  // that the program ran in
};

struct RecordingTraces : RecordingFacts {
  Traces traces;
  // Of samples of these processes: all, those without an entry, and all entries.
  u64 of_program = 0, without_branches = 0, entries = 0;
};
using Programs = std::span<const program::Program* const>;
Result<std::vector<RecordingTraces>> read_traces(const perf::Recording& recording,
                                                 Programs programs,
                                                 const samples::RecordingOptions& options,
                                                 bool with_kernel_entries = false);
Result<RecordingTraces> read_traces(const perf::Recording& recording,
                                    const program::Program& program,
                                    const samples::RecordingOptions& options,
                                    bool with_kernel_entries = false);

// Where samples were taken, whatever else they hold.
struct RecordingAddresses : RecordingFacts {
  std::vector<AddressCount> counts;
  std::vector<std::string> event_names;  // with samples of the program, as recorded
};
Result<std::vector<RecordingAddresses>> read_addresses(const perf::Recording& recording,
                                                       Programs programs,
                                                       const samples::RecordingOptions& options);
Result<RecordingAddresses> read_addresses(const perf::Recording& recording,
                                          const program::Program& program,
                                          const samples::RecordingOptions& options);

}  // namespace pgokit::bolt
