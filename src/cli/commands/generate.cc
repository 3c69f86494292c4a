#include <algorithm>

#include "base/file.h"
#include "base/leak_until_exit.h"
#include "base/shell_word.h"
#include "cli/commands/commands.h"
#include "cli/compilers.h"
#include "cli/dates.h"
#include "cli/options.h"
#include "cli/views/generation.h"
#include "object/file.h"
#include "pipeline/consumers.h"
#include "pipeline/input_checks.h"
#include "pipeline/outputs.h"
#include "pipeline/provenance.h"
#include "pipeline/several_programs.h"
#include "report/print.h"

namespace pgokit::cli {
namespace {

struct Settings {
  pipeline::RoadOptions road;
  std::string consumer, format, event, date;
  std::vector<std::string> programs;
  bool all_programs = false, note = false;
  bool json = false, quiet = false, stats = false, timings = false;
  u64 threads = 0;
  std::vector<std::string> given;
};

std::vector<std::string> output_names() {
  std::vector<std::string> names;
  for (const auto* output : pipeline::all_outputs()) names.emplace_back(output->name);
  return names;
}

OptionTable options_of(Settings& s) {
  auto& g = s.road;
  return {
      "pgokit generate",
      "Turn a recording into a sample profile for clang -fprofile-sample-use.",
      {
          {"RECORDING", "",
           "perf.data, perf script text, raw counts or instrumented profile; - is standard input",
           &g.read.inputs, true},
          {"-b,--binary", "PROGRAM",
           "the program (the one with most samples); of several each gets its file", &s.programs},
          {"--all-programs", "",
           "all programs and libraries with samples or counts, a file for each", &s.all_programs},
          {"-o,--output", "FILE",
           "the profile (PROGRAM.prof); - is standard output. Of several programs: FOLDER/, or a "
           "name in which %n is the program's",
           &g.output_path},
          one_of({"--for", "CONSUMER",
                  fmt::format("who reads it (clang): {}",
                              pipeline::names_of(pipeline::Consumers::all)),
                  &s.consumer},
                 pipeline::consumer_names(pipeline::Consumers::all)),
          one_of({"--format", "FORMAT",
                  "extbinary (default), binary, text, gcov, raw (counts), fdata, yaml, "
                  "preaggregated or clusters (layout)",
                  &s.format},
                 output_names()),
          {"--md5", "", "hashes in place of function names (extbinary)", &g.write.md5_names},
          {"--compress", "", "compress the sections (extbinary)", &g.write.compress},
          {"--debug-binary", "FILE", "where the debug information is, if not in PROGRAM",
           &g.program.debug_path},
          {"--dwp", "FILE", "package of split debug information (PROGRAM.dwp)",
           &g.program.dwp_path},
          {"--use-dwarf", "", "use debug information although PROGRAM has probes",
           &g.program.use_dwarf},
          {"--context-sensitive,--cs", "",
           "count functions apart by their callers; wants call chains beside the branches",
           &g.read.by_context},
          {"--allow-ip,--basic-events", "",
           "estimate a profile from samples that have no branch stacks", &g.read.allow_ip},
          {"--event", "NAME", "samples of this event only (the best: cycles, then a clock)",
           &s.event},
          {"--pid", "PID", "samples of this process only", &g.read.pid},
          {"--kernel", "", "PROGRAM is the kernel (vmlinux)", &g.read.kernel},
          {"--inter-procedural", "",
           "order parts of functions among those of others, by calls (clusters)",
           &g.clusters.layout.inter_procedural},
          {"--build-ids", "", "the program's build id before each address (preaggregated)",
           &g.with_build_ids},
          {"--llvm-bolt", "COMMAND", "that makes YAML (the newest in PATH)", &g.llvm_bolt},
          {"--ignore-build-id", "", "take a recording of another build", &g.read.ignore_build_id},
          {"--trim-cold", "", "leave out functions that are hardly ever run",
           &g.finish.contexts.trim_cold},
          {"--quantize", "BITS",
           "counts keep BITS significant bits: what differs a little from run to run is equal",
           &g.finish.quantize_bits},
          {"--note", "", "say in the profile what was recorded, when and where (extbinary, text)",
           &s.note},
          {"--date", "WHEN",
           "... the date of the recording (SOURCE_DATE_EPOCH, or when its file was written)",
           &s.date},
          {"--threads", "N", "how many threads (all cores)", &s.threads},
          {"--json", "", "print the summary as JSON on standard output", &s.json},
          {"--stats", "", "what went in and out, in numbers", &s.stats},
          {"--timings", "", "time and memory of each stage", &s.timings},
          {"-q,--quiet", "", "no summary", &s.quiet},
      },
      fmt::format(
          "\nExit codes: 0, 1 a file is unusable, 2 wrong usage, 3 nothing could be made for one\n"
          "of several -b.\n\nexample:\n{}",
          road_in_commands)};
}

const char* why_no_contexts(const pipeline::ReadInput& input) {
  if (input.contexts)
    return "its branch stacks have one branch each, which does not tell contexts: make a flat "
           "profile, without --context-sensitive";
  if (input.by_pgokit)
    return "its samples have no call chains, which --context-sensitive needs: record with pgokit "
           "record without --no-callchain";
  if (input.ip_only)
    return "its samples have no call chains, which --context-sensitive needs: record with perf "
           "record -b --call-graph fp, or at least -g";
  return "its branches come without call chains, which --context-sensitive needs: record with "
         "perf record -b --call-graph fp (or lbr)";
}

// Of a file that is named for its debug information.
Status check_debug_file(const std::string& path, const char* section, const char* old_section) {
  if (path.empty()) return {};
  auto file = TRY(MappedFile::open(path));
  auto elf = TRY_IN(path, object::File::parse(file.bytes()));
  if (elf.section(section) || elf.section(old_section)) return {};
  return fail("{}: there is no {} in it", path, section);
}

bool is_of_several(const Settings& settings) {
  return settings.all_programs || settings.programs.size() > 1;
}

Status check_profile_options(const Settings& settings) {
  const auto& road = settings.road;
  auto is_given = [&](std::string_view option) {
    return std::ranges::count(settings.given, option) > 0;
  };
  bool holds_notes =
      road.output == &pipeline::outputs::extbinary || road.output == &pipeline::outputs::text;
  if (settings.note && !holds_notes)
    return usage_error("--note is for --format extbinary and text: {} has no place for it",
                       road.output->name);
  if (is_given("--date") && !settings.note) return usage_error("--date is for --note");
  if (!is_given("--quantize")) return {};
  if (road.output->needs != pipeline::Output::Needs::profile)
    return usage_error("--quantize is for profiles, {} is none", road.output->name);
  return check_significant_bits(road.finish.quantize_bits);
}

// What can be said before anything is read.
Status check_settings(const Settings& settings) {
  const auto& road = settings.road;
  if (road.output != &pipeline::outputs::extbinary && (road.write.md5_names || road.write.compress))
    return usage_error("--md5 and --compress are for --format extbinary");
  TRY(check_profile_options(settings));
  if (road.clusters.layout.inter_procedural && road.output != &pipeline::outputs::clusters)
    return usage_error("--inter-procedural is for --for propeller");
  if (road.with_build_ids && road.output != &pipeline::outputs::preaggregated)
    return usage_error("--build-ids is for --format preaggregated");
  if (!road.llvm_bolt.empty() && road.output != &pipeline::outputs::yaml)
    return usage_error("--llvm-bolt is for --format yaml");
  if (settings.all_programs && !settings.programs.empty())
    return usage_error("--all-programs and -b: the one names all, the other some of the programs");
  bool one_file = road.output->endings.size() == 1;
  if (!one_file && road.output_path == "-")
    return usage_error("-o -: {} are several files; -o NAME gives what their names begin with",
                       road.output->name);
  bool by_blocks = road.output->needs == pipeline::Output::Needs::blocks;
  if (by_blocks && (road.finish.contexts.trim_cold || road.program.use_dwarf))
    return usage_error(
        "--trim-cold and --use-dwarf are for profiles: a layout has what ran, by block");
  if (settings.json && road.output_path == "-")
    return usage_error("--json and -o - both want standard output: write the profile to a file");
  TRY(pipeline::check_threads(settings.threads));
  TRY(pipeline::check_files(road.read.inputs, road.binary, one_file ? road.output_path : ""));
  TRY(check_debug_file(road.program.debug_path, ".debug_info", ".zdebug_info"));
  return check_debug_file(road.program.dwp_path, ".debug_info.dwo", ".zdebug_info.dwo");
}

// Ends the journey where the profile would be useless.
class Checks : public pipeline::Traveller {
 public:
  Checks(std::span<const std::string> given, std::optional<u64> date, bool quiet)
      : given_(given), date_(date), quiet_(quiet) {}

 private:
  Status opened(pipeline::Road& road) override {
    TRY(fit_target(road.options.target, *road.program, road.options.write));
    return pipeline::check_package(*road.program);
  }
  Status read(pipeline::Road& road) override {
    TRY(pipeline::check_given(given_, *road.input.kind, road.options.read.inputs[0]));
    TRY(check_input(road));
    // Of all programs the others are still right: a warning tells of this one.
    if (!of_all_programs()) TRY(check_build(road));
    const auto& input = road.input;
    bool coverage =
        input.counters && input.counters->detail == pipeline::Counters::Detail::coverage;
    if (coverage && road.options.output != &pipeline::outputs::extbinary)
      return usage_error("{} says which functions ran, which only --format extbinary can hold",
                         road.options.read.inputs[0]);
    if (road.options.read.by_context && (!input.contexts || input.use.deepest == 1))
      return fail("{}: {}", road.options.read.inputs[0], why_no_contexts(input));
    return {};
  }
  Status made(pipeline::Road& road) override {
    TRY(check_generated(road));
    if (road.options.write.notes) road.generated.profile.notes = pipeline::notes_of(road, date_);
    return {};
  }

  Status failed(pipeline::Road& road, Error why) override {
    if (why.exit_code == 2) return std::unexpected(std::move(why));
    if (!quiet_ || !of_all_programs())
      report::print(stderr, "warning   left out {}: {}\n", road.options.binary, why.message);
    return {};
  }
  bool of_all_programs() const { return std::ranges::count(given_, "--all-programs") > 0; }

  std::span<const std::string> given_;
  std::optional<u64> date_;  // of notes
  bool quiet_;
};

void print_as_json(const report::Json& json) { report::print("{}\n", report::lines(json.text())); }

// A build of a program with its libraries takes one profile for all of them. Merged ones are clang's.
void print_way_to_one(const std::deque<pipeline::Road>& roads) {
  if (roads[0].options.output == &pipeline::outputs::gcov) return;
  std::string paths;
  size_t profiles = 0;
  for (const auto& road : roads) {
    if (road.left_out || road.options.output->needs != pipeline::Output::Needs::profile) continue;
    paths += " " + shell_word(road.options.output_path);
    ++profiles;
  }
  if (profiles > 1)
    report::print(stderr, "as one    pgokit merge{} -o all.prof   # for a build of them all\n",
                  paths);
}

void report_run(const Settings& settings, const std::deque<pipeline::Road>& roads) {
  auto* timings = roads[0].options.read.timings;
  if (timings) timings->end();
  if (settings.json) {
    if (!is_of_several(settings)) return print_as_json(json_of(roads[0], settings.stats));
    auto list = report::Json::array();
    for (const auto& road : roads)
      if (!road.left_out) list.push(json_of(road, settings.stats));
    return print_as_json(list);
  }
  for (const auto& road : roads) {
    if (road.left_out) continue;
    if (!settings.quiet) print_summary(road);
    if (settings.stats) print_stats(road);
  }
  if (!settings.quiet) print_way_to_one(roads);
  if (timings) report::print(stderr, "{}", report::lines(timings->text()));
}

// Where to go for each of several programs.
Result<std::deque<pipeline::Road>> roads_to_all(const Settings& settings) {
  const auto& asked = settings.road;
  auto programs = settings.programs;
  if (settings.all_programs) {
    auto chosen = TRY(pipeline::all_programs(asked.read.inputs, *asked.output, asked.read.threads));
    programs = std::move(chosen.files);
    for (const auto& reason : chosen.left_out)
      if (!settings.quiet) report::print(stderr, "warning   {}\n", reason);
  }
  std::deque<pipeline::Road> roads;
  for (const auto& program : programs) {
    auto options = asked;
    options.binary = program;
    options.output_path = TRY(pipeline::path_for(asked.output_path, program, *asked.output));
    roads.emplace_back(std::move(options));
  }
  return roads;
}

constexpr int some_left_out = 3;  // exit code: written, but not for all programs that were named

Result<int> generate(Settings& settings) {
  auto destination = TRY(pipeline::destination_of(settings.consumer, settings.format));
  settings.road.output = destination.output;
  settings.road.target = destination.target;
  settings.road.read.traces = destination.output->needs == pipeline::Output::Needs::traces;
  if (settings.programs.size() == 1) settings.road.binary = settings.programs[0];
  TRY(check_settings(settings));
  auto& read = settings.road.read;
  read.threads = settings.road.write.threads = static_cast<unsigned>(settings.threads);
  read.event = settings.event;
  read.run_to_next_branch = true;
  settings.road.write.notes = settings.note;
  auto date = settings.note ? TRY(date_of("--date", settings.date)) : std::nullopt;
  Checks checks(settings.given, date, settings.quiet);
  auto folder = TRY(pipeline::folder_for(settings.road.output_path));
  if (is_of_several(settings)) {
    auto& roads = leak_until_exit(TRY(roads_to_all(settings)));
    TRY(pipeline::run_together(roads, checks));
    report_run(settings, roads);
    bool all = settings.all_programs || std::ranges::none_of(roads, &pipeline::Road::left_out);
    return all ? 0 : some_left_out;
  }
  auto& roads = leak_until_exit(std::deque<pipeline::Road>());
  TRY(roads.emplace_back(std::move(settings.road)).run(checks));
  report_run(settings, roads);
  return 0;
}

int run(std::span<char* const> arguments) {
  Settings settings;
  auto table = options_of(settings);
  table.given = &settings.given;
  if (auto exit = parse_options(table, arguments)) return *exit;
  report::Timings timings(settings.timings);
  settings.road.read.timings = settings.timings ? &timings : nullptr;
  settings.road.read.progress = !settings.quiet;
  auto code = generate(settings);
  return code ? *code : report_failure("generate", code.error());
}

}  // namespace

constexpr Command generate_command{"generate", "turn a recording into a sample profile", run};

}  // namespace pgokit::cli
