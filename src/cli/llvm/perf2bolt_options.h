#pragma once

// The options of `pgokit perf2bolt`: those of perf2bolt 22.
//
//   Perf2BoltSettings settings;
//   if (auto exit = parse_llvm_options(perf2bolt_options(settings), arguments)) return *exit;
//   TRY(check_options(settings));

#include <string>
#include <vector>

#include "base/result.h"
#include "cli/options.h"

namespace pgokit::cli {

struct Perf2BoltSettings {
  std::vector<std::string> programs;
  std::string recording, output;
  bool basic = false, preaggregated = false;
  bool ignore_build_id = false, kernel_entries_left_out = true;
  bool with_loads = true, known_data_only = true;
  u64 pid = 0, threads = 0;
  std::string profile_format = "fdata";
  std::string yaml, llvm_bolt;
  // Refused, each with a reason.
  std::string itrace, heatmap, max_samples;
  bool spe = false, impute = false, density = false;
  // Taken and without effect, as there is nothing that they would change.
  bool ignored = false;
};

OptionTable perf2bolt_options(Perf2BoltSettings& settings);
Status check_options(Perf2BoltSettings& settings);

}  // namespace pgokit::cli
