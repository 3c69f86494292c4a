#pragma once

// What is in a recording, counted: for people, and for tests against other readers.
//
//   Summary summary = summarize(recording);
//   use(summary.types.of(RecordType::mmap2), summary.events[0].samples, summary.branches.entries);

#include "perf/recording.h"

namespace pgokit::perf {

struct BranchSummary {
  u64 entries = 0, deepest = 0, empty_stacks = 0;
  u64 mispredicted = 0, predicted = 0, with_cycles = 0;
  u64 speculation_known = 0, wrong_path = 0;
  u64 from_kernel = 0, to_kernel = 0, zero_address = 0;

  void add(std::span<const BranchEntry> stack);
  void add(const BranchSummary& other);
};

struct EventSummary {
  u64 samples = 0, period = 0;
};

struct ProcessSamples {
  u32 pid = 0;
  u64 samples = 0;
};

struct Summary {
  TypeCounts types;  // those inside of compressed records too
  std::vector<EventSummary> events;
  u64 samples = 0;                        // those that could be read
  std::vector<ProcessSamples> processes;  // most samples first; where samples tell their process
  BranchSummary branches;                 // of all events with branch stacks
  u64 branch_stacks = 0;                  // samples whose stack is not empty
  u64 call_chains = 0, call_chain_entries = 0;
  u64 first_time = ~u64(0), last_time = 0;  // ns
  u64 lost_events = 0, lost_samples = 0;    // as the kernel counted: LOST, LOST_SAMPLES
  u64 aux_announced = 0, aux_bytes = 0;     // sizes in AUX and in AUXTRACE records
  u64 executable_mappings = 0;
  ReadCounts unreadable;
};

// Processes beyond some thousands are not listed.
Summary summarize(const Recording& recording, unsigned threads = 0);

}  // namespace pgokit::perf
