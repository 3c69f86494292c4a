// The options of AutoFDO's create_gcov: profiles for GCC.
#include "cli/commands/commands.h"
#include "cli/llvm/converters.h"
#include "cli/llvm/llvm_options.h"

namespace pgokit::cli {
namespace {

struct Settings {
  pipeline::RoadOptions road;
  std::string profile = "perf.data", profiler = "perf";
  std::optional<u32> gcov_version;
  bool use_lbr = true, no_lbr = false, ignored_switch = false;
  std::string ignored;
};

OptionTable options_of(Settings& s) {
  auto& g = s.road;
  g.binary = "data.binary";
  g.output_path = "fbdata.afdo";
  return {
      "pgokit create_gcov",
      "Make a profile for GCC, with the options of AutoFDO's create_gcov.",
      {
          {"--binary", "FILE", "the profiled program (data.binary)", &g.binary},
          {"--profile", "FILE", "recording, or @LIST of them (perf.data)", &s.profile},
          one_of({"--profiler", "KIND", "{}; both are recognized", &s.profiler}, {"perf", "text"},
                 First::is_like_the_others),
          {"--gcov", "FILE", "the profile (fbdata.afdo)", &g.output_path},
          {"--gcov_version", "N",
           "1 (GCC 5 to 11), 2 (12 to 15), 3 (16) or 0x3430372a (4.7); that of the program's GCC",
           &s.gcov_version},
          {"--use_lbr", "BOOL", "branch stacks (1), or where samples lie", &s.use_lbr},
          {"--nouse_lbr", "", "the same as --use_lbr=0", &s.no_lbr},
          {"--ignore_build_id", "", "take a recording of another build", &g.read.ignore_build_id},
          // Taken and without effect: modules are not grouped, and nothing is left out.
          {"--cutoff_percent,--max_ggc_memory,--sample_threshold_frac,--dump_cutoff_percent", "N",
           "", &s.ignored, false, true},
          {"--debug_dump", "", "", &s.ignored_switch, false, true},
      },
      ""};
}

Status create(Settings& s) {
  auto& road = s.road;
  if (s.profiler != "perf" && s.profiler != "text")
    return usage_error("--profiler={}: there are perf and text", s.profiler);
  TRY(check_gcov_version(s.gcov_version));
  road.output = &pipeline::outputs::gcov;
  road.target = {&pipeline::consumers::gcc};
  road.read.inputs = TRY(recordings_of(s.profile));
  road.read.kernel = is_kernel(road.binary);
  road.read.allow_ip = s.no_lbr || !s.use_lbr;
  return convert({.road = std::move(road), .gcov_version = s.gcov_version});
}

int run(std::span<char* const> arguments) {
  Settings settings;
  if (auto exit = parse_llvm_options(options_of(settings), arguments)) return *exit;
  auto status = create(settings);
  return status ? 0 : report_failure("create_gcov", status.error());
}

}  // namespace

constexpr Command create_gcov_command{
    "create_gcov", "make a profile for GCC with the options of AutoFDO's create_gcov", run};

}  // namespace pgokit::cli
