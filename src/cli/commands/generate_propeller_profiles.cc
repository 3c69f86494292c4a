// The options of Propeller's generate_propeller_profiles.
#include "cli/commands/commands.h"
#include "cli/llvm/converters.h"
#include "cli/llvm/llvm_options.h"
#include "cli/llvm/profgen_options.h"

namespace pgokit::cli {
namespace {

struct Settings {
  pipeline::RoadOptions road;
  std::string profile, profile_type = "PERF_LBR", clusters, symbol_order, recorded_name,
                       propeller_options;
};

OptionTable options_of(Settings& s) {
  return {
      "pgokit generate_propeller_profiles",
      "Lay out the blocks and functions of a program, with the options of Propeller's "
      "generate_propeller_profiles.",
      {
          {"--binary", "FILE", "the profiled program", &s.road.binary, true},
          {"--profile", "FILE,...", "recordings, or @LIST of them", &s.profile, true},
          one_of({"--profile_type", "TYPE", "{}", &s.profile_type}, {"PERF_LBR"}),
          {"--propeller_options", "TEXT",
           "code_layout_params { inter_function_reordering: true } orders parts of functions",
           &s.propeller_options},
          {"--profiled_binary_name", "NAME", "what the recording calls the program",
           &s.recorded_name},
          {"--cc_profile", "FILE", "the clusters of blocks, for clang", &s.clusters, true},
          {"--ld_profile", "FILE", "the order of symbols, for the linker", &s.symbol_order, true},
      },
      ""};
}

Status generate(Settings& s) {
  auto& road = s.road;
  if (s.profile_type != "PERF_LBR")
    return usage_error("--profile_type={}: only PERF_LBR, recordings with branch stacks, is read",
                       s.profile_type);
  for (const auto& part : parted_by_commas(s.profile))
    for (auto& recording : TRY(recordings_of(part))) road.read.inputs.push_back(recording);
  if (road.read.inputs.empty()) return usage_error("--profile names no file");
  road.read.kernel = is_kernel(road.binary);
  TRY(use_recorded_name(s.recorded_name, road));
  TRY(use_propeller_options(s.propeller_options, road));
  road.output = &pipeline::outputs::clusters;
  road.target = {&pipeline::consumers::propeller};
  road.output_path = s.clusters;
  road.output_paths = {s.clusters, s.symbol_order};
  return convert({.road = std::move(road)});
}

int run(std::span<char* const> arguments) {
  Settings settings;
  if (auto exit = parse_llvm_options(options_of(settings), arguments)) return *exit;
  auto status = generate(settings);
  return status ? 0 : report_failure("generate_propeller_profiles", status.error());
}

}  // namespace

constexpr Command generate_propeller_profiles_command{
    "generate_propeller_profiles",
    "lay out a program with the options of Propeller's generate_propeller_profiles", run};

}  // namespace pgokit::cli
