#pragma once

// perf.data → Counts of one program.
//
//   auto recording = TRY(perf::Recording::open(file.bytes()));
//   auto read = TRY(count_recording(recording, program, {}));
//   use(read.sums.counts(), read.use);
//
// Two passes: the few records that tell where the program was mapped, then all samples, on all
// cores. Each process has its own load addresses, followed over fork, exec and new mappings.

#include <optional>
#include <string>

#include "base/progress.h"
#include "perf/recording.h"
#include "perf/windows.h"
#include "program/program.h"
#include "samples/branch_folder.h"
#include "samples/counted_branches.h"
#include "samples/counts.h"
#include "samples/event_choice.h"
#include "samples/sample_use.h"

namespace pgokit::samples {

struct RecordingOptions {
  bool ignore_build_id = false;           // take a mapping of another build for the program
  bool keep_wrong_path = false;           // count branches that the processor took on a wrong guess
  std::optional<u32> pid = {};            // this process only
  bool kernel = false;                    // the program is the kernel of the recorded machine
  std::optional<std::string> event = {};  // see choose_event()
  // Where no stack has more than one branch: what a branch went to ran up to the next branch, and
  // branches that were not taken, which Arm SPE samples too, are no branches.
  bool run_to_next_branch = false;
  // Take what the recorder has counted in place of the samples, where it has.
  bool whole_counts = false;
  unsigned threads = 0;
  Progress* progress = nullptr;  // told of the bytes that were read
};

struct RecordingCounts {
  explicit RecordingCounts(const program::CodeMap& code) : sums(code) {}

  BranchSums sums;
  SampleUse use;
  EventChoice events;
  perf::ReadCounts unreadable;
  u64 mappings = 0;              // of the program's code; 0: it did not run, nothing is counted
  std::string other_build;       // build id of another build of the program that ran
  bool matched_by_name = false;  // no build id on one of the sides
  perf::Windows windows;         // which `sums` are of; none: they are of samples, or
  bool all_counted = false;      // of all that ran, but
  u64 uncounted_stretches = 0;   // BranchCounts::uncounted_stretches()
  bool part_of_run = false;      // and what ran before and after it
  BranchShare elsewhere;         // of the branches that were counted
};

// An error that tells how to record, where no event has the branches that were taken.
Status check_branch_stacks(const perf::Recording& recording);

Result<RecordingCounts> count_recording(const perf::Recording& recording,
                                        const program::Program& program,
                                        const RecordingOptions& options);

}  // namespace pgokit::samples
