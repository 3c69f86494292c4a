// The options of AutoFDO's create_llvm_prof: sample profiles, and Propeller's pair of files.
#include "cli/commands/commands.h"
#include "cli/llvm/converters.h"
#include "cli/llvm/llvm_options.h"

namespace pgokit::cli {
namespace {

struct Settings {
  pipeline::RoadOptions road;
  std::string profile = "perf.data", profiler = "perf", out, gcov, format = "text", symbol_order,
              recorded_name;
  bool symbol_list = false, use_lbr = true;
};

OptionTable options_of(Settings& s) {
  auto& g = s.road;
  g.binary = "a.out";
  return {
      "pgokit create_llvm_prof",
      "Make a profile, with the options of AutoFDO's create_llvm_prof.",
      {
          {"--binary", "FILE", "the profiled program (a.out)", &g.binary},
          {"--profile", "FILE", "recording, or @LIST of them (perf.data)", &s.profile},
          one_of({"--profiler", "KIND", "{}; both are recognized", &s.profiler}, {"perf", "text"},
                 First::is_like_the_others),
          {"--out", "FILE", "the profile, or Propeller's cc profile", &s.out},
          {"--gcov", "FILE", "the same", &s.gcov},
          one_of({"--format", "FORMAT", "{}", &s.format},
                 {"text", "binary", "extbinary", "propeller"}),
          {"--use_lbr", "BOOL", "branch stacks (1), or where samples lie", &s.use_lbr},
          {"--propeller_symorder", "FILE", "propeller: the linker's symbol order", &s.symbol_order},
          {"--propeller_output_module_name", "",
           "propeller: the source file of every function, not only where it is needed",
           &g.clusters.all_modules},
          {"--profiled_binary_name", "NAME", "what the recording calls the program",
           &s.recorded_name},
          {"--ignore_build_id", "", "take a recording of another build", &g.read.ignore_build_id},
          {"--prof_sym_list", "", "extbinary: list all functions of the program", &s.symbol_list},
      },
      ""};
}

Result<const pipeline::Output*> output_named(std::string_view name) {
  if (name == "propeller") return &pipeline::outputs::clusters;
  for (const auto* output :
       {&pipeline::outputs::text, &pipeline::outputs::binary, &pipeline::outputs::extbinary})
    if (name == output->name) return output;
  return usage_error("--format={}: there are text, binary, extbinary and propeller", name);
}

Status create(Settings& s) {
  auto& road = s.road;
  road.output = TRY(output_named(s.format));
  bool propeller = road.output == &pipeline::outputs::clusters;
  if (s.profiler != "perf" && s.profiler != "text")
    return usage_error("--profiler={}: there are perf and text", s.profiler);
  if (!s.gcov.empty() && !s.out.empty() && s.gcov != s.out)
    return usage_error("--out and --gcov are two names of one option, and differ");
  road.output_path = s.out.empty() ? s.gcov : s.out;
  if (road.output_path.empty()) return usage_error("--out=FILE is missing: where the profile goes");
  if (propeller && s.symbol_order.empty())
    return usage_error(
        "--propeller_symorder=FILE is missing: where the order of symbols goes, for the linker");
  if (!propeller && !s.symbol_order.empty())
    return usage_error("--propeller_symorder is for --format=propeller");
  if (!propeller && road.clusters.all_modules)
    return usage_error("--propeller_output_module_name is for --format=propeller");
  if (propeller) road.output_paths = {road.output_path, s.symbol_order};
  if (s.symbol_list && road.output != &pipeline::outputs::extbinary)
    return usage_error("--prof_sym_list is for --format=extbinary");
  road.target = {propeller ? &pipeline::consumers::propeller : &pipeline::consumers::clang};
  road.read.inputs = TRY(recordings_of(s.profile));
  road.read.kernel = is_kernel(road.binary);
  road.read.allow_ip = !s.use_lbr;
  TRY(use_recorded_name(s.recorded_name, road));
  return convert({.road = std::move(road), .lists_symbols = s.symbol_list});
}

int run(std::span<char* const> arguments) {
  Settings settings;
  if (auto exit = parse_llvm_options(options_of(settings), arguments)) return *exit;
  auto status = create(settings);
  return status ? 0 : report_failure("create_llvm_prof", status.error());
}

}  // namespace

constexpr Command create_llvm_prof_command{
    "create_llvm_prof", "make a profile with the options of AutoFDO's create_llvm_prof", run};

}  // namespace pgokit::cli
