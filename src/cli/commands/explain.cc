#include <algorithm>

#include "analysis/explanation.h"
#include "analysis/quality.h"
#include "annotate/branch_beliefs.h"
#include "base/file.h"
#include "base/function_name.h"
#include "base/shell_word.h"
#include "block_map/block_map.h"
#include "cli/built_programs.h"
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
  std::string profile, remarks, function, recording, profiled, profiled_binary;
  std::vector<std::string> binaries;
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

// What each program's file tells by itself.
struct File {
  MappedFile image;
  object::File object;
  std::vector<object::Symbol> symbols;
  program::ProgramFacts facts;
};

Result<std::vector<std::unique_ptr<File>>> open_files(const Settings& s) {
  std::vector<std::unique_ptr<File>> files;
  for (const auto& path : s.binaries) {
    auto image = TRY(MappedFile::open(path));
    auto object = TRY_IN(path, object::File::parse(image.bytes()));
    auto facts = TRY_IN(path, program::read_facts(path, object));
    if (!s.program.debug_path.empty() && !facts.debug) facts.debug.emplace();
    auto symbols = object.symbols();
    files.push_back(std::make_unique<File>(std::move(image), std::move(object), std::move(symbols),
                                           std::move(facts)));
  }
  return files;
}

// Nothing where the program lacks what the profile is by, which is told as a cause; of several
// programs none may.
Result<std::optional<BuiltPrograms>> open_programs(const Settings& s, bool probes,
                                                   const program::ProgramFacts& facts) {
  bool there = probes ? facts.probes.has_value() : facts.debug.has_value();
  if (!there && s.binaries.size() == 1) return std::optional<BuiltPrograms>();
  return TRY(open_built({.files = s.binaries,
                         .program = s.program,
                         .probes = probes,
                         .threads = static_cast<unsigned>(s.threads)}));
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
  const auto& binary = s.binaries[0];
  std::optional<CountedProgram> counted;
  if (!s.recording.empty()) {
    if (!program)
      return fail(
          "--recording: {} has neither probes nor lines that the profile is by, which tell what "
          "its "
          "branches are",
          binary);
    if (!block_map::has_block_map(program->file()))
      return fail(
          "--recording: {} has no block map, which tells what the compiler held: compile with {} "
          "({})",
          binary, block_map::options_for_beliefs, block_map::options_with_lto);
    counted.emplace(CountOptions{.inputs = {s.recording},
                                 .binary = binary,
                                 .ignore_build_id = s.ignore_build_id,
                                 .threads = static_cast<unsigned>(s.threads)});
    if (auto read = counted->read(); !read)
      return fail(
          "{}; --recording wants one of this build, and --profiled the one that the profile was "
          "made "
          "of",
          read.error().message);
  }
  if (!program) return std::optional<annotate::BranchBeliefs>();
  return TRY_IN(binary,
                annotate::branch_beliefs({.program = program,
                                          .profile = &profile,
                                          .counts = counted ? &counted->counts() : nullptr}));
}

std::string as_options(const std::vector<std::string>& binaries) {
  std::string text;
  for (const auto& binary : binaries) text += " -b " + shell_word(binary);
  return text;
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
              : fmt::format("'pgokit check {}{}' tells how far", shell_word(s.profile),
                            as_options(s.binaries));
}

Status add_remarks(const std::vector<std::string>& files, analysis::Compiled& compiled) {
  for (const auto& path : files) {
    auto text = TRY(MappedFile::open(path));
    TRY_IN(path, compiled.add_remarks(text.bytes()));
  }
  return {};
}

// Of most functions there are none: they are of one object.
bool has_few_remarks(const analysis::Compiled& told, const profile::Profile& profile,
                     const std::unordered_set<std::string>& symbols) {
  u64 all = 0, remarked = 0;
  for (const auto& function : profile.functions()) {
    auto name = canonical_function_name(profile.names.text(function.samples.name));
    if (!symbols.contains(std::string(name))) continue;
    const auto* compiled = told.find(name);
    ++all;
    remarked += compiled && compiled->in_remarks;
  }
  return remarked > 0 && 2 * remarked < all;
}

constexpr int does_not_fit = 3;  // exit code

Result<int> explain(Settings& s) {
  if (!s.profiled_binary.empty() && s.profiled.empty())
    return usage_error("--profiled-binary needs --profiled");
  if (s.binaries.size() > 1 && !s.recording.empty())
    return usage_error("--recording judges the branches of one program: give one --binary");
  auto file = TRY(MappedFile::open(s.profile));
  TRY(pipeline::refuse_other_than_profile(s.profile, file.bytes()));
  auto read = TRY_IN(s.profile, profile::read_profile(file.bytes()));
  const auto& profile = read.profile;
  if (is_coverage(profile))
    return fail(
        "{}: it says which functions ran (coverage), and has no counts that a compiler "
        "could use; clang takes it by -fprofile-sample-use only for their order",
        s.profile);
  bool one = s.binaries.size() == 1;
  auto files = TRY(open_files(s));
  auto built = TRY(open_programs(s, profile.flags.probe_based, files[0]->facts));
  const auto* shape = built ? &built->shape : nullptr;

  analysis::Compiled compiled;
  std::unordered_set<std::string> names;
  std::vector<std::string> remarks;
  if (!s.remarks.empty()) remarks = TRY(remarks_files(s.remarks));
  for (size_t i = 0; i < files.size(); ++i) {
    names.merge(function_symbols(files[i]->symbols));
    if (s.remarks.empty()) std::ranges::move(remarks_beside(s.binaries[i]), back_inserter(remarks));
  }
  auto add_block_maps = [&]() -> Status {
    for (size_t i = 0; i < files.size(); ++i)
      TRY_IN(s.binaries[i], compiled.add_block_map(files[i]->object, files[i]->symbols));
    return {};
  };
  TRY(add_block_maps());
  TRY(add_remarks(remarks, compiled));
  // An object that has the name of the program, and whose remarks lie beside it.
  if (s.remarks.empty() && has_few_remarks(compiled, profile, names)) {
    report::print(stderr,
                  "pgokit explain: {} tells of few of the functions, as of one object, and is left "
                  "out: --remarks FOLDER reads those of all\n",
                  fmt::join(remarks, ", "));
    remarks.clear();
    compiled = {};
    TRY(add_block_maps());
  }
  TRY(check_remarks(s.remarks.empty() ? s.binaries[0] + ".opt.*" : s.remarks,
                    names_of_built(s.binaries), remarked(compiled), names, shape));

  double samples_per_place = profile::density(profile).density;
  auto told = analysis::explain({.profile = &profile,
                                 .facts = &files[0]->facts,
                                 .shape = shape,
                                 .symbols = &names,
                                 .density = samples_per_place},
                                compiled);
  auto profiled = TRY(profiled_road(s));
  auto branches = TRY(beliefs_of(s, built && one ? &built->programs[0] : nullptr, profile));
  if (told.funnel.samples == 0)
    return fail("{}: has no samples to explain: record again, for longer", s.profile);
  ExplanationView view{.profile = s.profile,
                       .programs = s.binaries,
                       .model = &profile,
                       .told = &told,
                       .compiled = &compiled,
                       .remarks = remarks,
                       .density = samples_per_place,
                       .top = s.top,
                       .function = s.function,
                       .mangled = s.mangled,
                       .profiled = profiled.get()};
  for (const auto& one_file : files) view.facts.push_back(&one_file->facts);
  if (branches)
    view.branches = BeliefsView{.told = &*branches,
                                .explanation = &told,
                                .measure = s.recording.empty() ? s.profile : s.recording,
                                .by_counts = !s.recording.empty(),
                                .top = s.top,
                                .function = s.function,
                                .mangled = s.mangled};
  if (!s.function.empty() && shown_functions(view).empty())
    return fail("{}: has no function '{}': pgokit show {} lists them", s.profile, s.function,
                s.profile);
  report::print("{}", report::lines(s.json ? explanation_json(view) : explanation_text(view)));
  auto why = misfit(s, profile, shape, told);
  if (why.empty()) return 0;
  report::print(stderr, "pgokit explain: {} does not fit {}: {}\n", s.profile,
                names_of_built(s.binaries), why);
  return does_not_fit;
}

int run(std::span<char* const> arguments) {
  Settings s;
  OptionTable table{
      "pgokit explain",
      "Tell what the compiler did with a profile, where it was lost and why.",
      {{"PROFILE", "", "the profile that the program was built with", &s.profile, true},
       {"-b,--binary", "FILE",
        "the program that was built with it; several where the profile is of several", &s.binaries,
        true},
       {"--remarks", "PATH",
        "remarks of that build (-fsave-optimization-record): a file, or a folder with them",
        &s.remarks},
       {"--recording", "FILE",
        "a recording of the program itself, by which its branches are judged", &s.recording},
       {"--profiled", "FILE", "the recording that the profile was made of", &s.profiled},
       {"--profiled-binary", "PROGRAM", "... and its program (the one with most samples)",
        &s.profiled_binary},
       {"--ignore-build-id", "", "take recordings of another build", &s.ignore_build_id},
       {"--function", "TEXT", "only functions with this in their name, and their branches",
        &s.function},
       {"--debug", "FILE", "where the program's debug information is", &s.program.debug_path},
       {"--top", "N", "how many functions and branches are listed; 0 is all", &s.top},
       {"--threads", "N", "how many at a time; 0 is all cores", &s.threads},
       mangled_option(s.mangled),
       {"--json", "", "print JSON", &s.json}},
      "Without --remarks those beside the program are read: FILE.opt.yaml, .opt.bitstream, and\n"
      "of a link with LTO FILE-opt.ld.yaml. The block map is in the program, if it was\n"
      "compiled with -fbasic-block-address-map -mllvm -pgo-analysis-map=all; with LTO, linked\n"
      "with -Wl,--lto-basic-block-address-map,-mllvm,-pgo-analysis-map=all as well.\n\n"
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
