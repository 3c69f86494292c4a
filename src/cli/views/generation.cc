#include "cli/views/generation.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/command_path.h"
#include "base/shell_word.h"
#include "base/unique_names.h"
#include "bolt/functions.h"
#include "cli/compilers.h"
#include "cli/views/counters.h"
#include "cli/views/density.h"
#include "cli/views/processes.h"
#include "perf/branch_counts.h"
#include "pipeline/find_program.h"
#include "pipeline/input_checks.h"
#include "program/named_paths.h"
#include "report/json.h"
#include "report/numbers.h"
#include "report/print.h"
#include "samples/program_match.h"

namespace pgokit::cli {
namespace {

using report::counted;
using report::grouped;
using report::percent;

std::string names_of(const std::vector<std::string>& inputs) {
  return inputs.size() == 1 ? inputs[0]
                            : fmt::format("{} and {} more", inputs[0], grouped(inputs.size() - 1));
}

struct Part {
  std::string_view key, text;
  u64 count = 0;
};

std::vector<Part> dropped_samples(const pipeline::ReadInput& input) {
  std::vector<Part> parts;
  for (const auto& cause : samples::drop_causes)
    parts.push_back({cause.key, cause.text, input.use[cause.fate]});
  return parts;
}

std::vector<Part> broken_ranges(const pipeline::ReadInput& input) {
  const auto& ranges = input.ranges;
  return {
      {"off_boundary", "do not start or end at an instruction of the program", ranges.off_boundary},
      {"outside_functions", "are in no known function", ranges.outside_functions},
      {"across_functions", "run past the end of a function", ranges.across_functions},
      {"bogus", "contain a jump, call or return that would have been taken", ranges.bogus}};
}

// What is estimated, and what nothing in the recording tells.
std::string ip_warning(const samples::IpQuality& quality, bool has_chains) {
  std::string text = fmt::format(
      "no branch stacks: counts are estimated from where the samples lie. Chance alone leaves {} "
      "of "
      "them right ({} of {} with 10 samples or more)",
      report::as_percent(quality.likely_overlap), grouped(quality.well_sampled),
      counted(quality.functions, "function"));
  if (quality.calls_without_target >= 0.0005)
    text += fmt::format("; {} of the calls are indirect and their targets not known{}",
                        report::as_percent(quality.calls_without_target),
                        has_chains ? "" : " (perf record -g would tell)");
  return text + "; branch stacks (pgokit record) would tell more";
}

// How the compiler named the functions: called otherwise, it would not find them.
struct Naming {
  ProfileKind kind;
  std::string absolute_path;  // that static functions were named by, one of them
};

Naming naming_of(const pipeline::Road& road) {
  Naming naming;
  auto& kind = naming.kind;
  kind = {.probes = road.program->has_probes()};
  const auto& profile = road.generated.profile;
  const auto& names = profile.names;
  // Rust's library may be named the other way.
  u64 most = 0;
  for (const auto& function : profile.functions()) {
    if (function.samples.total <= most) continue;
    most = function.samples.total;
    kind.rust_v0 = names.text(profile.contexts.node(function.context).function).starts_with("_R");
  }
  auto paths = program::named_paths(*road.program);
  kind.unique_names = paths.unique;
  kind.absolute_paths = !paths.absolute.empty();
  kind.taken_off = std::move(paths.taken_off);
  naming.absolute_path = std::move(paths.absolute);
  return naming;
}

// The branches are the program's and the frames are not: some versions of perf print these as
// offsets in their files, which nothing tells apart from addresses where the files are not printed.
bool has_frames_elsewhere(const pipeline::ReadInput& input) {
  const auto& use = input.use;
  u64 outside = input.contexts ? input.unwound.outside_chains : input.unwound.outside_leaves;
  return input.kind == &pipeline::inputs::script && use.used() * 2 > use.samples() &&
         outside * 10 >= use.used() * 9;
}

std::string frames_elsewhere(const program::Program& program) {
  return fmt::format(
      "nearly all call chains are outside of {} though its branches are not: perf 6.1 and others "
      "print frames as offsets in their files; print these too (perf script -F "
      "pid,ip,sym,dso,brstack --show-mmap-events), or give the recording itself",
      program.name());
}

bool has_discriminators(const profile::FunctionSamples& samples) {
  for (const auto& [location, body] : samples.body.unordered())
    if (location.discriminator) return true;
  for (const auto& [site, callees] : samples.inlinees.unordered())
    for (const auto& [callee, inlinee] : callees.unordered())
      if (has_discriminators(*inlinee)) return true;
  return false;
}

// Empty, or the option that the program should have been compiled with.
std::string_view missing_discriminators(const pipeline::Road& road) {
  constexpr u64 some_blocks_share_lines = 100;  // in programs with as many places
  if (road.program->has_probes() || road.generated.summary.num_counts < some_blocks_share_lines ||
      std::ranges::any_of(road.generated.profile.functions(), has_discriminators,
                          &profile::Function::samples))
    return {};
  auto compiler = compiler_of(*road.program);
  return compiler.family == CompilerFamily::clang ? discriminator_option(compiler) : "";
}

bool writes(pipeline::Output::Needs needs, const pipeline::Road& road) {
  return road.options.output->needs == needs;
}

constexpr u64 some_samples = 20;  // that a share of them tells something

// Nearly all of the work is that of others.
bool lies_elsewhere(u64 part, u64 all) {
  constexpr double nearly_all = 0.9;
  return all > 0 && static_cast<double>(part) >= nearly_all * static_cast<double>(all);
}

// Compilers that optimize inline something in many functions of every program that is not small;
// without optimization only what has to be inlined is.
bool has_hardly_any_inlining(const pipeline::Road& road) {
  constexpr size_t not_small = 30, one_in = 20;  // functions
  const auto& profile = road.generated.profile;
  if (!writes(pipeline::Output::Needs::profile, road) || profile.flags.context_sensitive ||
      profile.functions().size() < not_small)
    return false;
  auto with = std::ranges::count_if(profile.functions(), [](const profile::Function& function) {
    return !function.samples.inlinees.empty();
  });
  return static_cast<size_t>(with) * one_in <= profile.functions().size();
}

// Sentences for the user, most important first.
std::vector<std::string> warnings(const pipeline::Road& road, const Naming& naming) {
  std::vector<std::string> list;
  auto add = [&]<class... A>(fmt::format_string<A...> text, A&&... values) {
    list.push_back(fmt::format(text, std::forward<A>(values)...));
  };
  const auto& input = road.input;
  if (!road.options.passed_over.empty()) list.push_back(road.options.passed_over);
  if (!input.cut_short.empty())
    add("the recording is not whole: {}: copy it again, or record again", input.cut_short);
  if (road.options.read.run_to_next_branch && input.use.deepest == 1)
    add("branch stacks of one branch each: what ran is taken to be the code from where each branch "
        "went up to the next branch");
  if (input.ip_only) list.push_back(ip_warning(*input.ip_only, input.has_chains));
  if (input.other_kind_line)
    add("samples with and without call chains are mixed: those of the second kind, from line {} "
        "on, were dropped; make a text of each kind, and a profile of each",
        input.other_kind_line);
  if (has_frames_elsewhere(input)) list.push_back(frames_elsewhere(*road.program));
  u64 all = input.use.samples(),
      elsewhere = input.use[samples::Fate::elsewhere] + input.use[samples::Fate::not_in_program];
  auto warn_elsewhere = [&](u64 part, u64 whole, std::string_view what) {
    if (lies_elsewhere(part, whole))
      add("{} of the {} outside of {}, of which the profile knows little: 'pgokit show {}' "
          "tells in which programs and libraries: profile these (-b)",
          percent(part, whole), what, road.program->name(), names_of(road.options.read.inputs));
  };
  if (input.counted_elsewhere.all)
    warn_elsewhere(input.counted_elsewhere.part, input.counted_elsewhere.all,
                   "branches that were counted are");
  else if (all >= some_samples)
    warn_elsewhere(elsewhere, all, "samples were taken");
  if (auto uncounted = uncounted_text(input.uncounted_stretches); !uncounted.empty())
    list.push_back(std::move(uncounted));
  if (input.all_counted && input.windows.number)
    add("whole runs and windows are added up, of which the first outweigh the others: make a "
        "profile of each kind, and weigh them in 'pgokit merge -w'");
  if (has_hardly_any_inlining(road))
    add("hardly anything is inlined in the {} functions that ran: it looks like a build without "
        "optimization (-O0), whose profile fits no other: compile with -O2 (meson setup "
        "--buildtype=release, cmake -DCMAKE_BUILD_TYPE=RelWithDebInfo)",
        grouped(road.generated.profile.functions().size()));
  if (input.unwound.cut_chains)
    add("{} with more than {} frames: the outer ones were left out",
        counted(input.unwound.cut_chains, "sample"),
        grouped(unwind::HybridSampleReader::max_frames));
  if (!input.mapped)
    add("no mapping event of {} in the text: its linked addresses were taken "
        "(perf script --show-mmap-events tells them)",
        road.program->name());
  if (road.options.output->needs == pipeline::Output::Needs::traces &&
      !bolt::has_relocations(road.program->file()))
    add("the program has no relocations of its code: BOLT cannot move functions, only blocks in "
        "them; link it with -Wl,--emit-relocs");
  if (input.matched_by_name)
    add("no build id to compare: the program was matched by its name only (link with --build-id)");
  constexpr u64 least = 2000;  // one in so many is told as 0.1 %
  bool by_symbols = writes(pipeline::Output::Needs::blocks, road) ||
                    writes(pipeline::Output::Needs::traces, road);
  for (const auto& part : broken_ranges(input))
    if (part.count * least >= input.ranges.total && part.count &&
        !(by_symbols && part.key == "outside_functions"))
      add("{} of the ranges between branches {}", percent(part.count, input.ranges.total),
          part.text);
  if (input.script.bad_branches)
    add("{}; the first in line {}: {}", counted(input.script.bad_branches, "broken branch record"),
        input.script.first_bad_line, input.script.first_bad_text);
  if (input.script.unparsable_events)
    add("{} could not be parsed", counted(input.script.unparsable_events, "mapping event"));
  u64 broken = input.unreadable.truncated_records + input.unreadable.unpack_failures;
  if (broken) add("skipped {}", counted(broken, "broken record"));
  if (road.program->functions().shared_starts())
    add("{} several functions; the first one got the samples",
        counted(road.program->functions().shared_starts(), "address starts", "addresses start"));
  if (road.generated.probes_without_descriptor)
    add("left out {} with probes that no descriptor names",
        counted(road.generated.probes_without_descriptor, "function"));
  for (auto& loss : probe::losses(road.generated.probe_damage)) list.push_back(std::move(loss));
  for (const auto& warning : road.output.warnings) list.push_back(warning);
  if (auto option = missing_discriminators(road); !option.empty())
    add("no place has a discriminator: blocks of one line count as one, and a build with {} will "
        "not "
        "fit; record a program that was compiled with it",
        option);
  bool for_gcc = road.options.target.consumer == &pipeline::consumers::gcc;
  if (for_gcc && compiler_of(*road.program).family == CompilerFamily::clang)
    add("clang built the program: GCC inlines other calls and tells the blocks of a line apart in "
        "another way; a recording of a build by GCC fits it better");
  double density = road.generated.density.density;
  auto evidence = evidence_of(input);
  if (evidence.windows.is_thin())
    list.push_back(density_of(
        evidence.windows, ways_to_more_of(road.program->path(), input.counted_elsewhere.rest())));
  bool of_samples = !input.ip_only && !evidence.is_known() && input.cut_short.empty();
  if (of_samples && density > 0 && density * 1.05 < profile::dense_enough)
    add("the profile is thin (density {}): {} times as many samples would optimize better: record "
        "{}",
        report::fixed(density), report::fixed(profile::dense_enough / density),
        input.by_pgokit && input.unwound.samples
            ? "with --exact --contexts, which counts all of a run"
            : "for longer, or at a higher rate (-F)");
  if (!naming.absolute_path.empty())
    add("static functions are named by absolute source paths ({}): a build in another folder will "
        "not find them; compile with {} what is recorded and what is built",
        naming.absolute_path, option_to_map(naming.absolute_path));
  return list;
}

// In the order of the work.
std::vector<Part> stats_of(const pipeline::Road& road) {
  const auto& input = road.input;
  const auto& functions = road.program->functions();
  const auto& summary = road.generated.summary;
  std::vector<Part> list{{"input.files", "files read", input.files},
                         {"input.bytes", "bytes in them", input.bytes},
                         {"samples.read", "samples", input.use.samples()},
                         {"samples.used", "samples used", input.use.used()}};
  for (const auto& part : dropped_samples(input)) list.push_back({part.key, part.text, part.count});
  std::vector<Part> rest{
      {"branches.entries", "entries of the branch stacks used", input.use.entries},
      {"branches.elsewhere", "entries outside of the program", input.use.entries_elsewhere},
      {"branches.wrong_path", "entries never really taken", input.use.entries_wrong_path},
      {"unwound.samples", "different samples with call chains", input.unwound.samples},
      {"ranges.total", "ranges between branches, each time", input.ranges.total},
      {"ranges.distinct", "different ranges", input.distinct_ranges},
      {"branches.distinct", "different branches", input.distinct_branches},
      {"contexts", "calling contexts", input.distinct_contexts},
      {"program.functions", "functions of the program", functions.size()},
      {"profile.functions", "functions in the profile", summary.num_functions},
      {"profile.counts", "places with a count", summary.num_counts},
      {"profile.samples", "samples of all places", summary.total},
      {"profile.largest", "samples of the hottest place", summary.max_count},
      {"profile.bytes", "bytes written", road.written}};
  list.insert(list.end(), rest.begin(), rest.end());
  return list;
}

// The program, and the files that its debug information was taken from.
std::string files_of(const program::Program& program, const pipeline::RoadOptions& options) {
  std::string text = program.path();
  for (const auto* more : {&options.program.debug_path, &options.program.dwp_path})
    if (!more->empty()) text += ", " + *more;
  return text;
}

// Of code that was not this program's nothing should be built.
bool is_of_other_code(const pipeline::Road& road) {
  const auto& ranges = road.input.ranges;
  return ranges.off_boundary * 2 > ranges.total;
}

}  // namespace

Status check_input(const pipeline::Road& road) {
  const auto& program = *road.program;
  const auto& input = road.input;
  const auto& options = road.options;
  if (!program.file().has_symbols())
    return fail(
        "{} is stripped: without .symtab or .gnu_debugdata its code cannot be decoded; "
        "give the unstripped file of the same build with -b",
        program.path());
  // A layout and BOLT's profiles name functions by their symbols; raw counts are of addresses.
  bool wants_places = options.output->needs == pipeline::Output::Needs::profile;
  if (wants_places && !program.has_probes() && !program.debug())
    return fail(
        "{} has neither debug information nor probes; "
        "compile it with {}",
        files_of(program, options), profiling_options(compiler_of(program)));
  if (input.contexts && has_frames_elsewhere(input))
    return fail("{}: contexts cannot be told: {}", names_of(options.read.inputs),
                frames_elsewhere(program));
  if (input.counters || input.distinct_ranges > 0 || input.distinct_branches > 0) return {};
  if (input.kind->of_samples && input.use.samples() == 0)
    return fail("{}: {}", names_of(options.read.inputs), pipeline::nothing_in(input.cut_short));
  if (options.read.pid && options.read.inputs.size() == 1)
    if (auto why = not_recorded(*options.read.pid, options.read.inputs[0]); !why.empty())
      return fail("{}: {}", options.read.inputs[0], why);
  std::string causes;
  for (const auto& part : dropped_samples(input))
    if (part.count)
      causes += fmt::format("{} {} {}", causes.empty() ? ":" : ",", grouped(part.count), part.text);
  if (!input.mapped)
    return fail(
        "{}: none of its {} samples can be used for {}{}; it has no mapping event of {}, which "
        "tells where that was loaded: print the text with perf script --show-mmap-events",
        names_of(options.read.inputs), grouped(input.use.samples()), program.name(), causes,
        program.name());
  auto ran = pipeline::what_ran(options.read.inputs, options.read.threads);
  return fail(
      "{}: none of its {} samples can be used for {}{}; "
      "is this the program that was recorded? {}",
      names_of(options.read.inputs), grouped(input.use.samples()), files_of(program, options),
      causes, ran.empty() ? "'pgokit show' tells both sides" : ran);
}

Status check_generated(const pipeline::Road& road) {
  const auto& program = *road.program;
  const auto& input = road.input;
  const auto& options = road.options;
  if (road.generated.summary.max_count > 0) return {};
  std::string causes;
  for (const auto& part : broken_ranges(input))
    if (part.count)
      causes += fmt::format("; {} of the ranges between branches {}",
                            percent(part.count, input.ranges.total), part.text);
  return fail(
      "{}: the profile would be empty: no sample is in code of {} that debug information or "
      "probes know{}; compile with {}",
      names_of(options.read.inputs), files_of(program, options), causes,
      profiling_options(compiler_of(program)));
}

Status check_build(const pipeline::Road& road) {
  const auto& input = road.input;
  const auto& options = road.options;
  bool by_name = input.matched_by_name || input.kind == &pipeline::inputs::script;
  if (!by_name || options.read.ignore_build_id || !is_of_other_code(road)) return {};
  return fail(
      "{}: {} of the ranges between branches do not start or end at an instruction of {}: it is "
      "another build than the one that was recorded, and no build id tells which; record this one "
      "(link with --build-id), or give the other; --ignore-build-id makes a profile nevertheless",
      names_of(options.read.inputs), percent(input.ranges.off_boundary, input.ranges.total),
      files_of(*road.program, options));
}

namespace {

// "extbinary", or "gcov for gcc-12" where a version was named.
std::string form_of(const pipeline::RoadOptions& options) {
  if (!options.target.version) return std::string(options.output->name);
  return fmt::format("{} for {}", options.output->name, options.target.name());
}

// As a command names it; what went to standard output has a name that only the user knows.
std::string name_of_output(const pipeline::Road& road) {
  return road.options.output_path == "-" ? "FILE" : road.options.output_path;
}

void print_list(const char* label, const std::vector<std::string>& lines) {
  for (const auto& line : lines)
    report::print(stderr, "{:<10}{}\n", std::exchange(label, ""), line);
}

std::string_view json_key_of(const pipeline::Road& road) {
  if (writes(pipeline::Output::Needs::blocks, road)) return "layout";
  return writes(pipeline::Output::Needs::profile, road) ? "profile" : "counts";
}

void print_next_of_bolt(const pipeline::Road& road) {
  auto program = shell_word(road.program->path()), file = shell_word(name_of_output(road));
  if (road.options.output == &pipeline::outputs::preaggregated)
    return report::print(stderr, "next      {} -pa -p {} {} -o {}.fdata\n",
                         newest_command("perf2bolt"), file, program, program);
  report::print(stderr,
                "next      {3} {0} -o {0}.bolt -data {1} -reorder-blocks=ext-tsp{2} "
                "-split-functions\n",
                program, file,
                bolt::has_relocations(road.program->file()) ? " -reorder-functions=cdsort" : "",
                newest_command("llvm-bolt"));
}

void print_next(const pipeline::Road& road, ProfileKind kind) {
  if (is_of_other_code(road))
    return report::print(
        stderr, "next      record {} itself: this is of other code, and no profile of it\n",
        shell_word(road.program->path()));
  const auto& paths = road.options.output_paths;
  if (writes(pipeline::Output::Needs::blocks, road))
    return print_list("next", layout_commands(compiler_of(*road.program), paths[0], paths[1]));
  if (writes(pipeline::Output::Needs::traces, road)) return print_next_of_bolt(road);
  if (writes(pipeline::Output::Needs::counts, road))
    return report::print(stderr, "next      pgokit generate {} -b {}\n",
                         shell_word(name_of_output(road)), shell_word(road.program->path()));
  auto compiler = compiler_for(road.options.target, compiler_of(*road.program));
  if (road.options.output == &pipeline::outputs::gcov)
    return report::print(stderr, "next      {}\n",
                         use_command_of_gcc(compiler, name_of_output(road)));
  kind.no_discriminators = !missing_discriminators(road).empty();
  print_list("next", use_commands(compiler, name_of_output(road), kind));
}

void print_written(const pipeline::Road& road) {
  auto size = report::file_size(road.written);
  const auto& options = road.options;
  switch (options.output->needs) {
    case pipeline::Output::Needs::counts:
    case pipeline::Output::Needs::traces:
      return report::print(stderr, "counts    wrote {} ({}, {})\n", options.output_path,
                           options.output->name, size);
    case pipeline::Output::Needs::blocks:
      report::print(stderr, "layout    {}\n", road.output.summary);
      return report::print(stderr, "wrote     {} and {} ({})\n", options.output_paths[0],
                           options.output_paths[1], size);
    case pipeline::Output::Needs::profile:
      report::print(stderr, "profile   {} from {}, density {}, wrote {} ({}, {})\n",
                    counted(road.generated.summary.num_functions, "function"),
                    road.program->has_probes() ? "probes" : "debug information",
                    report::fixed(road.generated.density.density), options.output_path,
                    form_of(options), size);
  }
}

void print_events(const samples::EventChoice& events) {
  if (events.name.empty()) return;
  report::print(stderr, "event     {}", events.name);
  for (size_t i = 0; i < events.others.size(); ++i)
    report::print(stderr, "{}{} of {}",
                  i ? ", " : "; left out: ", grouped(events.others[i].samples),
                  events.others[i].name);
  if (!events.others.empty()) report::print(stderr, " (--event takes another)");
  report::print(stderr, "\n");
}

}  // namespace

void print_summary(const pipeline::Road& road) {
  if (road.input.counters) {
    print_counters_summary(road);
    return print_next(road, naming_of(road).kind);
  }
  const auto& input = road.input;
  const auto& use = input.use;
  if (input.all_counted)
    report::print(stderr, "counted   every branch of {}\n",
                  input.part_of_run ? "a part of the run, while it was recorded" : "the whole run");
  bool only_counted = use.samples() == 0 && (input.all_counted || input.windows.number > 0);
  if (input.kind->of_samples && !only_counted) {
    report::print(stderr, "samples   {} = {} used", grouped(use.samples()), grouped(use.used()));
    for (const auto& part : dropped_samples(input))
      if (part.count) report::print(stderr, " + {} {}", grouped(part.count), part.text);
    if (input.ip_only && use.entries)
      report::print(stderr, "\ncallers   {} in the call chains", grouped(use.entries));
    if (!input.ip_only)
      report::print(stderr, "\nbranches  {} in the samples used", grouped(use.entries));
    if (use.entries_elsewhere)
      report::print(stderr, ", {} of them in other programs",
                    percent(use.entries_elsewhere, use.entries));
    if (use.entries_wrong_path)
      report::print(stderr, ", {} dropped as never really taken", grouped(use.entries_wrong_path));
    report::print(stderr, "\n");
  }
  if (input.windows.number)
    report::print(stderr, "windows   {}, counted whole: the counts are theirs\n",
                  grouped(input.windows.number));
  print_events(input.events);
  report::print(stderr, "program   {}\n", road.program->path());
  report::print(stderr, "code      {}, {}{}\n", counted(input.distinct_ranges, "range"),
                counted(input.distinct_branches, "branch", "branches"),
                input.distinct_contexts
                    ? fmt::format(" in {}", counted(input.distinct_contexts, "context"))
                    : "");
  print_written(road);
  auto naming = naming_of(road);
  for (const auto& warning : warnings(road, naming))
    report::print(stderr, "warning   {}\n", warning);
  print_next(road, naming.kind);
}

void print_stats(const pipeline::Road& road) {
  for (const auto& part : stats_of(road))
    report::print(stderr, "{:>18}  {}\n", grouped(part.count), part.text);
}

report::Json json_of(const pipeline::Road& road, bool with_stats) {
  if (road.input.counters) return counters_json(road);
  using report::Json;
  const auto& input = road.input;
  Json samples = Json::object(), dropped = Json::object(), branches = Json::object();
  for (const auto& part : dropped_samples(input)) dropped.set(part.key, part.count);
  samples.set("total", input.use.samples())
      .set("used", input.use.used())
      .set("dropped", std::move(dropped));
  branches.set("entries", input.use.entries)
      .set("elsewhere", input.use.entries_elsewhere)
      .set("wrong_path", input.use.entries_wrong_path);
  Json ip_only = Json::object();
  if (const auto& quality = input.ip_only)
    ip_only.set("samples", quality->samples)
        .set("functions", quality->functions)
        .set("functions_with_10_samples", quality->well_sampled)
        .set("likely_overlap", quality->likely_overlap)
        .set("indirect_calls", quality->indirect_calls)
        .set("calls_without_target", quality->calls_without_target);
  Json ranges = Json::object();
  ranges.set("total", input.ranges.total);
  for (const auto& part : broken_ranges(input)) ranges.set(part.key, part.count);
  Json profile = Json::object();
  if (writes(pipeline::Output::Needs::blocks, road)) {
    Json paths = Json::array();
    for (const auto& path : road.options.output_paths) paths.push(path);
    profile.set("paths", std::move(paths));
  } else {
    profile.set("path", road.options.output_path);
  }
  for (const auto& figure : road.output.figures) profile.set(figure.key, figure.value);
  profile.set("format", road.options.output->name)
      .set("for", road.options.target.name())
      .set("size", road.written);
  if (writes(pipeline::Output::Needs::profile, road))
    profile.set("functions", road.generated.summary.num_functions)
        .set("total_samples", road.generated.summary.total)
        .set("density", road.generated.density.density)
        .set("from", road.program->has_probes() ? "probes" : "debug information");
  Json list = Json::array();
  for (const auto& warning : warnings(road, naming_of(road))) list.push(warning);
  Json json = Json::object();
  if (input.windows.number) json.set("windows", input.windows.number);
  if (auto likeness = evidence_of(input).windows.likeness()) json.set("likeness", *likeness);
  if (input.all_counted) json.set(input.part_of_run ? "part_of_run" : "whole_run", true);
  json.set("input", names_of(road.options.read.inputs))
      .set("binary", road.program->path())
      .set("build_id", object::hex(road.program->file().build_id()))
      .set("samples", std::move(samples))
      .set("branches", std::move(branches))
      .set("ranges", std::move(ranges))
      .set("distinct_ranges", input.distinct_ranges)
      .set("distinct_branches", input.distinct_branches)
      .set("distinct_contexts", input.distinct_contexts)
      .set(json_key_of(road), std::move(profile))
      .set("warnings", std::move(list));
  if (!input.events.name.empty()) {
    Json others = Json::object();
    for (const auto& event : input.events.others) others.set(event.name, event.samples);
    json.set("event", input.events.name).set("other_events", std::move(others));
  }
  if (with_stats) {
    Json stats = Json::object();
    for (const auto& part : stats_of(road)) stats.set(part.key, part.count);
    json.set("stats", std::move(stats));
  }
  if (const auto* timings = road.options.read.timings) json.set("timings", timings->json());
  if (input.ip_only) json.set("without_branch_stacks", std::move(ip_only));
  return json;
}

}  // namespace pgokit::cli
