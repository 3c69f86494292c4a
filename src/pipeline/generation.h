#pragma once

// The road from a recording to a profile, as `pgokit generate` and `pgokit llvm-profgen` take it.

#include <optional>
#include <string>

#include "generate/contexts.h"
#include "generate/flat/flat.h"
#include "perf/records.h"
#include "profile/model/summary.h"
#include "program/program.h"
#include "report/timings.h"
#include "samples/data_accesses.h"
#include "samples/diagnosis.h"
#include "samples/ip_estimate.h"
#include "samples/recording_counts.h"
#include "samples/script_reading.h"
#include "transform/post_process.h"
#include "unwind/hybrid.h"

namespace pgokit::pipeline {

enum class InputKind { recording, script, raw };
// By content; an error for what is none of them. `allow_ip`: text without branch stacks too.
Result<InputKind> detect_input(Bytes bytes, bool allow_ip = false);

struct GenerationOptions {
  std::vector<std::string> inputs;  // recordings whose counts are added up
  std::optional<InputKind> kind;    // to be insisted on; else by content
  std::string binary;
  std::string passed_over;  // where no binary was named: one with more samples, and why not
  program::ProgramOptions program;
  generate::FlatOptions flat;
  generate::ContextProfileOptions contexts_made;
  std::string data_accesses;        // text of perf report -D; empty: none
  i64 max_unsymbolized_depth = -1;  // call sites that a context keeps; negative: all
  std::optional<u32> pid;
  bool kernel = false;  // text: the program is the kernel
  bool ignore_build_id = false;
  bool keep_wrong_path = false;
  bool allow_ip = false;  // estimate counts where samples have no branch stacks
  // Whose samples are counted; empty: those of the best one; none: of all.
  std::optional<std::string> event;
  bool run_to_next_branch = false;     // ranges for branch stacks of one branch each
  bool flat_from_hybrid = true;        // false: hybrid text wants a context-sensitive profile
  transform::ContextOptions contexts;  // also what is cold in flat profiles
  u64 density_cutoff = profile::hot_cutoff;
  bool mark_to_be_inlined = false;   // every function
  bool raw_offsets = true;           // raw counts hold offsets, not addresses
  bool raw_from_first_load = false;  // ... from the first segment, not the first one with code
  unsigned threads = 0;
  bool list_faults = false;            // of ranges and call chains, one by one
  bool progress = true;                // of what takes long, on a terminal
  report::Timings* timings = nullptr;  // told of the stages
  void stage(const std::string& name) const {
    if (timings) timings->begin(name);
  }
};

// Counts of a program and where they came from.
struct ReadInput {
  InputKind kind{};
  samples::Counts counts;                         // nothing where there are contexts
  std::optional<unwind::ContextCounts> contexts;  // for a context-sensitive profile
  u64 distinct_contexts = 0, distinct_ranges = 0, distinct_branches = 0;
  samples::SampleUse use;  // nothing for raw counts
  samples::EventChoice events;
  std::optional<samples::IpQuality> ip_only;  // there were no branch stacks: counts are estimates
  bool has_chains = false;                    // then: samples have call chains
  samples::RangeDiagnosis ranges;             // nothing for raw counts
  unwind::HybridFacts unwound;                // where there are contexts
  perf::ReadCounts unreadable;                // recordings
  samples::ScriptFacts script;                // text
  u64 bad_chains = 0;                         // hybrid text: samples dropped for their call chain
  u64 other_kind_line = 0;  // text: where samples of another kind begin, which were dropped
  bool mapped = true;       // the input says where the program was loaded
  bool matched_by_name = false;
  std::vector<samples::VtableAccess> vtables;
  std::string cut_short;  // why the recording is not whole; empty: it is
  u64 files = 0, bytes = 0;
};

// All inputs together.
Result<ReadInput> read_input(const program::Program& program, const GenerationOptions& options);

struct Generated {
  profile::Profile profile;
  profile::Summary summary;
  profile::Density density;
  u64 probes_without_descriptor = 0;
  probe::Damage probe_damage;
};

// Which virtual tables were read, of the option's file; nothing without it.
Result<std::vector<samples::VtableAccess>> read_data_accesses(const program::Program& program,
                                                              const ReadInput& input,
                                                              const GenerationOptions& options);

// Adds up the counts of all contexts: a flat profile comes of them.
void forget_contexts(const program::Program& program, ReadInput& input);

// Takes the contexts out of the input.
Result<Generated> generate_profile(const program::Program& program, ReadInput& input,
                                   const GenerationOptions& options);

// From a profile with all its samples to the one that is written.
Result<Generated> finish_profile(const program::Program& program, profile::Profile profile,
                                 const GenerationOptions& options);

// The address that offsets in raw counts are from.
BinaryAddr raw_base(const program::Program& program, const GenerationOptions& options);

}  // namespace pgokit::pipeline
