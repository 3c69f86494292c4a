#pragma once

// What the input files hold of a program, and where it came from.
//
//   ReadInput input = TRY(read_input(program, options.read));

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bolt/profile.h"
#include "bolt/traces.h"
#include "pipeline/counters.h"
#include "pipeline/options.h"
#include "profile/model/profile.h"
#include "samples/data_accesses.h"
#include "samples/diagnosis.h"
#include "samples/ip_estimate.h"
#include "samples/recording_counts.h"
#include "samples/script_reading.h"
#include "unwind/hybrid.h"

namespace pgokit::pipeline {

struct ReadInput {
  // Of the first file with samples, else of the last.
  const Input* kind = nullptr;
  samples::Counts counts;                         // nothing where there are contexts, or a profile
  std::optional<unwind::ContextCounts> contexts;  // for a context-sensitive profile
  std::optional<profile::Profile> profile;        // what was read is one already
  bolt::Traces traces;                            // of recordings, where they are asked for
  std::vector<bolt::AddressCount> addresses;      // ... those without branch stacks
  std::vector<std::string> address_events;        // that these were taken at
  u64 distinct_contexts = 0, distinct_ranges = 0, distinct_branches = 0;
  samples::SampleUse use;  // nothing where the input holds sums
  samples::EventChoice events;
  std::optional<samples::IpQuality> ip_only;  // there were no branch stacks: counts are estimates
  bool has_chains = false;                    // then: samples have call chains
  std::vector<samples::IpCounts::Seen> ips;   // then: where they were taken
  samples::RangeDiagnosis ranges;
  unwind::HybridFacts unwound;  // where there are contexts
  perf::ReadCounts unreadable;  // recordings
  samples::ScriptFacts script;  // text
  u64 other_kind_line = 0;      // text: where samples of another kind begin, which were dropped
  bool mapped = true;           // the input says where the program was loaded
  bool matched_by_name = false;
  std::vector<samples::VtableAccess> vtables;
  std::unique_ptr<Counters> counters;      // of an instrumented program: exact
  std::vector<std::string> profile_files;  // sample profiles, until they are read together
  std::vector<std::string> notes;          // what was left out of them
  std::vector<profile::Note> origins;      // of each file, what it says of itself
  bool by_pgokit = false;                  // pgokit record made it
  perf::Windows windows;                   // counted whole by it, which the counts are of
  bool all_counted = false;                // the counts are of all that ran, but
  u64 uncounted_stretches = 0;             // by code generated at run time
  bool part_of_run = false;                // and what ran before or after it was recorded
  samples::BranchShare counted_elsewhere;  // of branches counted whole
  std::string cut_short;                   // why the recording is not whole; empty: it is
  u64 files = 0, bytes = 0;
};

// All files of options.inputs together.
Result<ReadInput> read_input(const program::Program& program, const ReadOptions& options);

// Adds what one file holds to what those before it do. An error where they do not go together.
Status add(ReadInput&& more, ReadInput& all);

// Adds up the counts of all contexts: a flat profile comes of them.
void forget_contexts(const program::Program& program, ReadInput& input);

}  // namespace pgokit::pipeline
