#include "base/file.h"
#include "base/keep.h"
#include "cli/commands/commands.h"
#include "cli/commands/generate_instrumented.h"
#include "cli/options.h"
#include "cli/views/generation.h"
#include "object/file.h"
#include "pipeline/find_program.h"
#include "pipeline/generation.h"
#include "pipeline/input_checks.h"
#include "profile/format.h"
#include "report/print.h"

namespace pgokit::cli {
namespace {

struct Settings {
  pipeline::GenerationOptions generation;
  std::string output, format = "extbinary", event;
  bool md5 = false, compress = false, json = false, quiet = false, context_sensitive = false;
  bool stats = false, timings = false;
  u64 threads = 0;
  std::vector<std::string> given;
};

OptionTable options_of(Settings& s) {
  auto& g = s.generation;
  return {
      "pgokit generate",
      "Turn a recording into a sample profile for clang -fprofile-sample-use.",
      {
          {"RECORDING", "",
           "perf.data, perf script text, raw counts or instrumented profile; - is standard input",
           &g.inputs, true},
          {"-b,--binary", "PROGRAM", "the program (the one with most samples)", &g.binary},
          {"-o,--output", "FILE", "the profile (PROGRAM.prof); - is standard output", &s.output},
          {"--format", "FORMAT", "extbinary (default), binary or text", &s.format},
          {"--md5", "", "hashes in place of function names (extbinary)", &s.md5},
          {"--compress", "", "compress the sections (extbinary)", &s.compress},
          {"--debug-binary", "FILE", "where the debug information is, if not in PROGRAM",
           &g.program.debug_path},
          {"--dwp", "FILE", "package of split debug information (PROGRAM.dwp)",
           &g.program.dwp_path},
          {"--use-dwarf", "", "use debug information although PROGRAM has probes",
           &g.program.use_dwarf},
          {"--context-sensitive,--cs", "",
           "count functions apart by their callers; wants call chains beside the branches",
           &s.context_sensitive},
          {"--allow-ip,--basic-events", "",
           "estimate a profile from samples that have no branch stacks", &g.allow_ip},
          {"--event", "NAME", "samples of this event only (the best: cycles, then a clock)",
           &s.event},
          {"--pid", "PID", "samples of this process only", &g.pid},
          {"--kernel", "", "PROGRAM is the kernel (vmlinux)", &g.kernel},
          {"--ignore-build-id", "", "take a recording of another build", &g.ignore_build_id},
          {"--trim-cold", "", "leave out functions that are hardly ever run",
           &g.contexts.trim_cold},
          {"--threads", "N", "how many threads (all cores)", &s.threads},
          {"--json", "", "print the summary as JSON on standard output", &s.json},
          {"--stats", "", "what went in and out, in numbers", &s.stats},
          {"--timings", "", "time and memory of each stage", &s.timings},
          {"-q,--quiet", "", "no summary", &s.quiet},
      },
      "\nexample:\n"
      "  pgokit record -o app.perf -- ./app input\n"
      "  pgokit generate app.perf -b ./app -o app.prof\n"
      "  clang -O2 -g -fdebug-info-for-profiling -fprofile-sample-use=app.prof ...\n"};
}

Result<profile::Format> format_named(std::string_view name) {
  for (auto format : {profile::Format::extbinary, profile::Format::binary, profile::Format::text})
    if (name == profile::format_name(format)) return format;
  return usage_error("--format {}: there are extbinary, binary and text", name);
}

const char* why_no_contexts(const pipeline::ReadInput& input) {
  if (input.contexts)
    return "its branch stacks have one branch each, which does not tell contexts: make a flat "
           "profile, without --context-sensitive";
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

// What can be said before anything is read.
Result<profile::Format> check_settings(const Settings& settings) {
  auto format = TRY(format_named(settings.format));
  if (format != profile::Format::extbinary && (settings.md5 || settings.compress))
    return usage_error("--md5 and --compress are for --format extbinary");
  if (settings.json && settings.output == "-")
    return usage_error("--json and -o - both want standard output: write the profile to a file");
  const auto& options = settings.generation;
  TRY(pipeline::check_threads(settings.threads));
  TRY(pipeline::check_files(options.inputs, options.binary, settings.output));
  TRY(check_debug_file(options.program.debug_path, ".debug_info", ".zdebug_info"));
  TRY(check_debug_file(options.program.dwp_path, ".debug_info.dwo", ".zdebug_info.dwo"));
  return format;
}

Result<pipeline::ReadInput> read_wanted(const program::Program& program, const Settings& settings) {
  const auto& options = settings.generation;
  auto input = TRY(pipeline::read_input(program, options));
  if (input.kind == pipeline::InputKind::raw)
    TRY(check_given(settings.given, Counted::raw, options.inputs.front()));
  TRY(check_input(program, input, options));
  if (!settings.context_sensitive) pipeline::forget_contexts(program, input);
  if (settings.context_sensitive && (!input.contexts || input.use.deepest == 1))
    return fail("{}: {}", options.inputs[0], why_no_contexts(input));
  return input;
}

void report_run(const Settings& settings, const GenerationReport& report) {
  auto* timings = settings.generation.timings;
  if (timings) timings->end();
  if (settings.json) return print_json(report, settings.stats);
  if (!settings.quiet) print_summary(report);
  if (settings.stats) print_stats(report);
  if (timings) report::print(stderr, "{}", report::lines(timings->text()));
}

Status generate(Settings& settings) {
  auto format = TRY(check_settings(settings));
  auto& options = settings.generation;
  options.threads = static_cast<unsigned>(settings.threads);
  options.flat_from_hybrid = !settings.context_sensitive;
  options.event = settings.event;
  options.run_to_next_branch = true;
  if (is_instrumented_profile(options.inputs)) {
    TRY(check_given(settings.given, Counted::instrumented, options.inputs.front()));
    return generate_instrumented({options,
                                  settings.output,
                                  format,
                                  {.compress = settings.compress, .md5_names = settings.md5},
                                  settings.json,
                                  settings.quiet});
  }

  if (options.binary.empty()) {
    options.stage("looking for the program");
    auto chosen = TRY(pipeline::dominant_program(options.inputs, options.threads));
    options.binary = std::move(chosen.file);
    options.passed_over = std::move(chosen.passed_over);
  }
  options.stage("opening the program");
  auto& program = keep(TRY(program::Program::open(options.binary, options.program)));
  if (settings.output.empty()) settings.output = std::string(program.name()) + ".prof";
  TRY(pipeline::check_files(options.inputs, program.path(), settings.output));
  auto output = TRY(OutputFile::create(settings.output));
  options.stage("finding its functions");
  TRY(program.load_functions(options.threads));
  TRY(check_package(program));
  // Functions and symbols are known; nothing is decoded yet.
  auto input = TRY(read_wanted(program, settings));
  auto& generated = keep(TRY(pipeline::generate_profile(program, input, options)));
  TRY(check_generated(program, input, generated, options));
  options.stage("writing the profile");
  auto bytes = TRY(write_profile(
      generated.profile, format,
      {.compress = settings.compress, .md5_names = settings.md5, .threads = options.threads}));
  output.write(bytes);
  TRY(output.commit());
  report_run(settings,
             {program, options, input, generated, settings.output, settings.format, bytes.size()});
  return {};
}

int run(std::span<char* const> arguments) {
  Settings settings;
  auto table = options_of(settings);
  table.given = &settings.given;
  if (auto exit = parse_options(table, arguments)) return *exit;
  report::Timings timings(settings.timings);
  settings.generation.timings = settings.timings ? &timings : nullptr;
  settings.generation.progress = !settings.quiet;
  auto status = generate(settings);
  return status ? 0 : report_failure("generate", status.error());
}

}  // namespace

constexpr Command generate_command{"generate", "turn a recording into a sample profile", run};

}  // namespace pgokit::cli
