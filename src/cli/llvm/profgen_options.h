#pragma once

// The options of `pgokit llvm-profgen`: those of llvm-profgen 22, and a few of our own.
//
//   ProfgenSettings settings;
//   if (auto exit = parse_llvm_options(profgen_options(settings), arguments)) return *exit;
//   TRY(choose_input(settings));

#include "cli/options.h"
#include "cli/views/llvm_listing.h"
#include "pipeline/options.h"

namespace pgokit::cli {

struct ProfgenSettings {
  pipeline::RoadOptions road;
  std::vector<std::string> perf_script, perf_data, raw_profile, sample_profile;
  std::string format = "extbinary";
  bool skip_symbolization = false, ignore_stack_samples = false, use_md5 = false;
  bool show_mmap_events = false, show_density = false, symbol_list = false;
  bool contextless_summary = true;
  std::string asm_syntax = "att";
  std::string data_accesses;  // text of perf report -D; empty: none
  double density_threshold = 50;
  bool show_disassembly = false;
  std::string disassemble_functions;
  LlvmListing listing;
  u64 threads = 0;
  bool quiet = false, stats = false, timings = false;
  bool ignored_switch = false;
};

OptionTable profgen_options(ProfgenSettings& settings);

// What of the options goes together, and whether the files are there.
Status choose_input(ProfgenSettings& settings);

std::vector<std::string> parted_by_commas(const std::string& list);

}  // namespace pgokit::cli
