#pragma once

// What is asked of the road from a recording to a profile, stage by stage.
//
//   RoadOptions options;
//   options.read.inputs = {"app.perf"};
//   options.binary = "./app";

#include <optional>
#include <string>
#include <vector>

#include "block_layout/cluster_profile.h"
#include "generate/flat/flat.h"
#include "pipeline/consumers.h"
#include "pipeline/inputs.h"
#include "profile/format.h"
#include "program/program.h"
#include "report/timings.h"
#include "transform/post_process.h"
#include "unwind/context_policy.h"

namespace pgokit::pipeline {

class SharedReading;

// Input files → Counts, or counts by context.
struct ReadOptions {
  std::vector<std::string> inputs;  // their counts are added up
  const Input* insist = nullptr;    // what they have to be; null: told by content
  bool by_context = false;          // samples with call chains give counts by context
  unwind::ContextPolicy contexts;
  std::optional<u32> pid;
  bool kernel = false;  // the program is the kernel
  bool traces = false;  // for BOLT: branches together with what ran after them
  bool ignore_build_id = false;
  bool keep_wrong_path = false;
  bool allow_ip = false;  // estimate counts where samples have no branch stacks
  // Whose samples are counted; empty: those of the best one; none: of all.
  std::optional<std::string> event;
  bool run_to_next_branch = false;   // ranges for branch stacks of one branch each
  bool llvm_profgen = false;         // text is taken, and understood, as that tool does
  bool raw_offsets = true;           // raw counts hold offsets, not addresses
  bool raw_from_first_load = false;  // ... from the first segment, not the first one with code
  bool list_faults = false;          // of ranges and call chains, one by one
  bool progress = true;              // of what takes long, on a terminal
  unsigned threads = 0;
  report::Timings* timings = nullptr;  // told of the stages
  SharedReading* shared = nullptr;     // with other programs: each recording is read once for all

  void stage(const std::string& name) const {
    if (timings) timings->begin(name);
  }
  // The address that offsets in raw counts are from.
  BinaryAddr raw_base(const program::Program& program) const {
    if (!raw_offsets) return {0};
    return raw_from_first_load ? program.first_load_base() : program.text_base();
  }
};

// A profile with all its samples → the one that is written.
struct FinishOptions {
  transform::ContextOptions contexts;  // also what is cold in flat profiles
  u64 density_cutoff = profile::hot_cutoff;
  bool mark_to_be_inlined = false;  // every function
  u64 quantize_bits = 0;            // that counts keep; 0: all
};

struct RoadOptions {
  ReadOptions read;
  std::string binary;       // empty: the one that most samples are in
  std::string passed_over;  // ... then: what would be better, and why not that
  program::ProgramOptions program;
  generate::FlatOptions flat;
  FinishOptions finish;
  Target target;
  const Output* output = nullptr;
  std::string output_path;  // empty: PROGRAM.prof
  // Of an output of several files: their names; empty: output_path, or PROGRAM, with its endings.
  std::vector<std::string> output_paths;
  profile::WriteOptions write;
  block_layout::ClusterOptions clusters;
  bool with_build_ids = false;  // pre-aggregated traces: the program's before each address
  std::string llvm_bolt;        // that makes YAML; empty: the newest in PATH
};

}  // namespace pgokit::pipeline
