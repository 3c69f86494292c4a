#include <algorithm>

#include "analysis/explanation.h"
#include "analysis/quality.h"
#include "annotate/branch_beliefs.h"
#include "base/file.h"
#include "base/shell_word.h"
#include "block_map/block_map.h"
#include "cli/commands/commands.h"
#include "cli/commands/counted_program.h"
#include "cli/commands/remarks_files.h"
#include "cli/options.h"
#include "cli/views/explanation.h"
#include "pipeline/inputs.h"
#include "pipeline/road.h"
#include "profile/format.h"
#include "profile/model/coverage.h"
#include "profile/model/summary.h"
#include "report/print.h"

namespace pgokit::cli {
namespace {

struct Settings {
  std::string profile, binary, remarks, function, recording, profiled, profiled_binary;
  program::ProgramOptions program;
  u64 top = 10, threads = 0;
  bool json = false, mangled = false, ignore_build_id = false;
};

std::unordered_set<std::string> remarked(const analysis::Compiled& compiled) {
  std::unordered_set<std::string> names;
  for (const auto& [name, function] : compiled.functions())
    if (function.in_remarks) names.insert(name);
  return names;
}

// Null where the program lacks what the profile is by.
Result<std::optional<program::Program>> open_program(Settings& s, bool probes,
                                                     const program::ProgramFacts& facts) {
  bool there =
      probes ? facts.probes.has_value() : facts.debug.has_value() || !s.program.debug_path.empty();
  if (!there) return std::optional<program::Program>();
  s.program.use_dwarf = !probes;
  auto program = TRY(program::Program::open(s.binary, s.program));
  TRY(program.load_functions(static_cast<unsigned>(s.threads)));
  return program;
}

Result<analysis::ProgramShape> shape_of(const Settings& s, const program::Program& program,
                                        bool probes) {
  const auto& debug = probes || s.program.debug_path.empty() ? s.binary : s.program.debug_path;
  return TRY_IN(debug, analysis::read_shape(program, probes, static_cast<unsigned>(s.threads)));
}

// The way from a recording to the counts that a profile is made of.
Result<std::unique_ptr<pipeline::Road>> profiled_road(const Settings& s) {
  if (s.profiled.empty()) return std::unique_ptr<pipeline::Road>();
  pipeline::RoadOptions options;
  options.read.inputs = {s.profiled};
  options.read.run_to_next_branch = options.read.allow_ip = true;
  options.read.threads = static_cast<unsigned>(s.threads);
  options.read.ignore_build_id = s.ignore_build_id;
  options.binary = s.profiled_binary;
  options.output = &pipeline::outputs::raw_counts;
  auto road = std::make_unique<pipeline::Road>(std::move(options));
  pipeline::Traveller nobody;
  TRY(road->make(nobody));
  return road;
}

// Nothing where the program has neither functions nor a block map with probabilities.
Result<std::optional<annotate::BranchBeliefs>> beliefs_of(const Settings& s,
                                                          const program::Program* program,
                                                          const profile::Profile& profile) {
  std::optional<CountedProgram> counted;
  if (!s.recording.empty()) {
    if (!program || !block_map::has_block_map(program->file()))
      return fail(
          "--recording: {} has no block map, which tells what the compiler held: compile with "
          "-fbasic-block-address-map -mllvm -pgo-analysis-map=all",
          s.binary);
    counted.emplace(CountOptions{.inputs = {s.recording},
                                 .binary = s.binary,
                                 .ignore_build_id = s.ignore_build_id,
                                 .threads = static_cast<unsigned>(s.threads)});
    TRY(counted->read());
  }
  if (!program) return std::optional<annotate::BranchBeliefs>();
  return TRY_IN(s.binary,
                annotate::branch_beliefs({.program = program,
                                          .profile = &profile,
                                          .counts = counted ? &counted->counts() : nullptr}));
}

// Why hardly anything of it can be used; empty where it can. By the same share as `pgokit check`.
std::string misfit(const Settings& s, const profile::Profile& profile,
                   const analysis::ProgramShape* shape, const analysis::Explanation& told) {
  auto cause = told.findings.front().cause;
  if (analysis::is_of_whole_profile(cause)) {
    const auto& description = analysis::description_of(cause);
    return fmt::format("it is {}: {}", description.sentence, description.next);
  }
  bool fits = !shape || 100 * analysis::measure_fit(profile, *shape).stale_share() <=
                            analysis::most_stale_percent;
  return fits ? ""
              : fmt::format("'pgokit check {} -b {}' tells how far", shell_word(s.profile),
                            shell_word(s.binary));
}

constexpr int does_not_fit = 3;  // exit code

Result<int> explain(Settings& s) {
  if (!s.profiled_binary.empty() && s.profiled.empty())
    return usage_error("--profiled-binary needs --profiled");
  auto file = TRY(MappedFile::open(s.profile));
  TRY(pipeline::refuse_other_than_profile(s.profile, file.bytes()));
  auto read = TRY_IN(s.profile, profile::read_profile(file.bytes()));
  const auto& profile = read.profile;
  if (is_coverage(profile))
    return fail(
        "{}: it says which functions ran (coverage), and has no counts that a compiler "
        "could use; clang takes it by -fprofile-sample-use only for their order",
        s.profile);
  auto image = TRY(MappedFile::open(s.binary));
  auto object = TRY_IN(s.binary, object::File::parse(image.bytes()));
  auto facts = TRY_IN(s.binary, program::read_facts(s.binary, object));
  if (!s.program.debug_path.empty() && !facts.debug) facts.debug.emplace();
  auto program = TRY(open_program(s, profile.flags.probe_based, facts));
  std::optional<analysis::ProgramShape> shape;
  if (program) shape = TRY(shape_of(s, *program, profile.flags.probe_based));
  auto symbols = object.symbols();
  auto names = function_symbols(symbols);

  analysis::Compiled compiled;
  TRY_IN(s.binary, compiled.add_block_map(object, symbols));
  auto files = s.remarks.empty() ? remarks_beside(s.binary) : TRY(remarks_files(s.remarks));
  for (const auto& path : files) {
    auto remarks = TRY(MappedFile::open(path));
    TRY_IN(path, compiled.add_remarks(remarks.bytes()));
  }
  TRY(check_remarks(s.remarks.empty() ? s.binary + ".opt.*" : s.remarks, s.binary,
                    remarked(compiled), names, shape ? &*shape : nullptr));

  double samples_per_place = profile::density(profile).density;
  auto told = analysis::explain({.profile = &profile,
                                 .facts = &facts,
                                 .shape = shape ? &*shape : nullptr,
                                 .symbols = &names,
                                 .density = samples_per_place},
                                compiled);
  auto profiled = TRY(profiled_road(s));
  auto branches = TRY(beliefs_of(s, program ? &*program : nullptr, profile));
  if (told.funnel.samples == 0)
    return fail("{}: has no samples to explain: record again, for longer", s.profile);
  ExplanationView view{.profile = s.profile,
                       .program = s.binary,
                       .model = &profile,
                       .facts = &facts,
                       .told = &told,
                       .compiled = &compiled,
                       .remarks = files,
                       .density = samples_per_place,
                       .top = s.top,
                       .function = s.function,
                       .mangled = s.mangled,
                       .profiled = profiled.get()};
  if (branches)
    view.branches = BeliefsView{.told = &*branches,
                                .explanation = &told,
                                .measure = s.recording.empty() ? s.profile : s.recording,
                                .by_counts = !s.recording.empty(),
                                .top = s.top,
                                .mangled = s.mangled};
  if (!s.function.empty() && shown_functions(view).empty())
    return fail("{}: has no function '{}': pgokit show {} lists them", s.profile, s.function,
                s.profile);
  report::print("{}", report::lines(s.json ? explanation_json(view) : explanation_text(view)));
  auto why = misfit(s, profile, shape ? &*shape : nullptr, told);
  if (why.empty()) return 0;
  report::print(stderr, "pgokit explain: {} does not fit {}: {}\n", s.profile, s.binary, why);
  return does_not_fit;
}

int run(std::span<char* const> arguments) {
  Settings s;
  OptionTable table{
      "pgokit explain",
      "Tell what the compiler did with a profile, where it was lost and why.",
      {{"PROFILE", "", "the profile that the program was built with", &s.profile, true},
       {"-b,--binary", "FILE", "the program that was built with it", &s.binary, true},
       {"--remarks", "PATH",
        "remarks of that build (-fsave-optimization-record): a file, or a folder with them",
        &s.remarks},
       {"--recording", "FILE",
        "a recording of the program itself, by which its branches are judged", &s.recording},
       {"--profiled", "FILE", "the recording that the profile was made of", &s.profiled},
       {"--profiled-binary", "PROGRAM", "... and its program (the one with most samples)",
        &s.profiled_binary},
       {"--ignore-build-id", "", "take recordings of another build", &s.ignore_build_id},
       {"--function", "TEXT", "only functions with this in their name", &s.function},
       {"--debug", "FILE", "where the program's debug information is", &s.program.debug_path},
       {"--top", "N", "how many functions and branches are listed; 0 is all", &s.top},
       {"--threads", "N", "how many at a time; 0 is all cores", &s.threads},
       mangled_option(s.mangled),
       {"--json", "", "print JSON", &s.json}},
      "Without --remarks those beside the program are read: FILE.opt.yaml, .opt.bitstream and\n"
      ".opt.ld.yaml. The block map is in the program, if it was compiled with\n"
      "-fbasic-block-address-map -mllvm -pgo-analysis-map=all.\n\n"
      "Exit codes: 0, 1 a file is unusable, 2 wrong usage, 3 the profile does not fit the "
      "program."};
  if (auto exit = parse_options(table, arguments)) return *exit;
  auto code = explain(s);
  return code ? *code : report_failure("explain", code.error());
}

}  // namespace

constexpr Command explain_command{"explain", "what the compiler did with a profile, and why not",
                                  run};

}  // namespace pgokit::cli
