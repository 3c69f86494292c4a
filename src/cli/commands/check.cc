#include "analysis/quality.h"
#include "base/file.h"
#include "base/utc_date.h"
#include "cli/built_programs.h"
#include "cli/commands/commands.h"
#include "cli/dates.h"
#include "cli/options.h"
#include "cli/views/density.h"
#include "cli/views/notes.h"
#include "perf/branch_counts.h"
#include "perf/programs.h"
#include "pipeline/foreign_formats.h"
#include "pipeline/inputs.h"
#include "profile/format.h"
#include "profile/model/coverage.h"
#include "report/function_names.h"
#include "report/json.h"
#include "report/markdown.h"
#include "report/numbers.h"
#include "report/print.h"
#include "samples/counted_branches.h"

namespace pgokit::cli {
namespace {

using analysis::Fit;
using analysis::Quality;
using report::as_percent;
using report::counted;
using report::grouped;
using report::Json;
using report::percent;

constexpr int below_threshold = 3;

struct Settings {
  std::string profile, recording;
  std::vector<std::string> binaries;
  program::ProgramOptions program;
  double min_density = 0, min_coverage = 0, max_vanished = 100, min_flow = 0,
         max_excess_calls = 100;
  double max_stale = -1;  // not given
  double max_age = -1;    // the same; in days
  u64 top = 5, threads = 0;
  bool json = false, markdown = false, mangled = false;
  std::vector<std::string> given;
};

// One measure with the bound that was asked for, if any.
struct Measure {
  std::string name;  // of the JSON, and of the option behind --min- or --max-
  double value = 0;  // per cent, but for density and age
  double bound = 0;
  bool at_least = true;  // or at most
  bool asked = false;
  enum class Form { share, number, days, yes_or_no } form = Form::share;

  bool good() const { return !asked || (at_least ? value >= bound : value <= bound); }
  std::string text(double number) const {
    if (form == Form::days) return report::fixed(number) + " days";
    return form == Form::share ? as_percent(number / 100) : report::fixed(number);
  }
  // In words, with the bound.
  std::string sentence() const {
    if (form == Form::yes_or_no)
      return report::format("{} of the recording is {}the program's", name, good() ? "" : "not ");
    return report::format("{} {}, asked for {} {}", name, text(value),
                          at_least ? "at least" : "at most", text(bound));
  }
};

struct Build {
  std::string id;        // of the program
  std::string recorded;  // of the one that was recorded; empty: no recording was given
};

struct Checked {
  Quality quality;
  std::optional<Fit> fit;
  std::vector<Build> builds;  // of each program
  Evidence evidence;          // of the recording, or else of the notes
  profile::Notes notes;       // of the profile
  std::optional<double> age;  // in days, of its newest note
  std::vector<Measure> measures;
  std::vector<std::string> warnings;
};

Status check_thresholds(const Settings& s) {
  TRY(check_percentage("--min-flow", s.min_flow));
  TRY(check_percentage("--max-excess-calls", s.max_excess_calls));
  TRY(check_percentage("--min-coverage", s.min_coverage));
  TRY(check_percentage("--max-vanished", s.max_vanished));
  if (std::ranges::count(s.given, "--max-stale") > 0)
    TRY(check_percentage("--max-stale", s.max_stale));
  if (!(s.min_density >= 0))
    return usage_error("--min-density {:g}: a number from 0 on is wanted", s.min_density);
  if (std::ranges::count(s.given, "--max-age") > 0 && !(s.max_age >= 0))
    return usage_error("--max-age {:g}: days from 0 on are wanted", s.max_age);
  if (s.json && s.markdown) return usage_error("--json and --markdown: one of them");
  return {};
}

Status check_settings(const Settings& s) {
  TRY(check_thresholds(s));
  if (s.binaries.empty() && (s.max_stale >= 0 || s.max_vanished < 100 || s.min_coverage > 0))
    return usage_error("--max-stale, --max-vanished and --min-coverage need --binary");
  for (const char* option : {"--recording", "--debug", "--top"})
    if (s.binaries.empty() && std::ranges::count(s.given, option) > 0)
      return usage_error("{} needs --binary", option);
  return {};
}

// The build of a program that was recorded, which is found by its build id or else by its name;
// profiles themselves have none.
Status take_build(std::span<const perf::Program> recorded, const program::Program& built,
                  Build& build) {
  for (const auto& program : recorded) {
    bool is_it = !program.build_id.empty() && program.build_id == build.id;
    bool is_named_so = samples::file_name(program.path) == built.name();
    if (is_it || (is_named_so && build.recorded.empty()))
      build.recorded = program.build_id.empty() ? "none" : program.build_id;
  }
  if (build.recorded.empty()) return fail("has no samples of a program '{}'", built.name());
  return {};
}

// Whether its windows, as far as they are the programs', are enough.
Status take_windows(const std::string& path, const perf::Recording& recording,
                    std::span<const program::Program> programs, Checked& checked) {
  const auto& features = recording.features();
  if (features.branch_counts.empty()) return {};
  auto counts = TRY_IN(path, perf::decode_branch_counts(features.branch_counts));
  double share = 0;  // of the counts that are the programs'
  for (const auto& built : programs) {
    samples::ProgramMatch match(built.name(), built.file().build_id(), features.build_ids);
    share += samples::elsewhere_of(counts, match, true).rest();
  }
  share = std::min(share, 1.0);
  checked.evidence = {.windows = counts.windows.of_program(share),
                      .is_of_whole = counts.of_whole_run()};
  if (auto uncounted = uncounted_text(counts.uncounted_stretches()); !uncounted.empty())
    checked.warnings.push_back(fmt::format("{}: {}", path, uncounted));
  if (checked.evidence.windows.is_thin())
    checked.warnings.push_back(fmt::format(
        "{}: {}", path,
        density_of(checked.evidence.windows, programs.size() == 1
                                                 ? ways_to_more_of(programs[0].name(), share)
                                                 : std::string(ways_to_more))));
  return {};
}

// What the recording tells of the programs.
Status take_recording(const std::string& path, std::span<const program::Program> programs,
                      Checked& checked) {
  auto file = TRY(MappedFile::open(path));
  if (pipeline::identify(file.bytes()) != &pipeline::inputs::recording) {
    auto what = pipeline::foreign_format(file.bytes());
    return fail("{}: {}", path, what.empty() ? "is no recording" : what);
  }
  auto recording = TRY_IN(path, perf::Recording::open(file.bytes()));
  auto recorded = perf::find_programs(recording);
  for (size_t i = 0; i < programs.size(); ++i)
    TRY_IN(path, take_build(recorded, programs[i], checked.builds[i]));
  return take_windows(path, recording, programs, checked);
}

Result<Fit> fit_of(const Settings& s, const profile::Profile& profile, Checked& checked) {
  auto built = TRY(open_built({.files = s.binaries,
                               .program = s.program,
                               .probes = profile.flags.probe_based,
                               .threads = static_cast<unsigned>(s.threads)}));
  bool stripped = false;
  for (const auto& program : built.programs) {
    checked.builds.emplace_back(object::hex(program.file().build_id()));
    stripped |= !program.file().has_symbols() && s.program.debug_path.empty();
  }
  if (!s.recording.empty()) TRY(take_recording(s.recording, built.programs, checked));
  std::ranges::move(probe::losses(built.shape.probe_damage), std::back_inserter(checked.warnings));
  auto fit = analysis::measure_fit(profile, built.shape);
  // Exported functions are no measure of all.
  if (stripped) fit.code_bytes = fit.covered_bytes = 0;
  return fit;
}

Status take_notes(const Settings& s, const profile::Notes& notes, Checked& checked) {
  checked.notes = notes;
  checked.evidence = evidence_of(notes);
  if (u64 date = notes.date()) {
    double age = static_cast<double>(TRY(current_date())) - static_cast<double>(date);
    checked.age = std::max(age, 0.0) / static_cast<double>(seconds_of_day);
  } else if (s.max_age >= 0) {
    return fail(
        "{}: --max-age: it has no note of when it was recorded: pgokit generate --note gives one",
        s.profile);
  }
  return {};
}

constexpr std::string_view no_symbols = "it has no symbols of functions: is it stripped?";

// A threshold for what cannot be measured would always hold.
Status check_measured(const Settings& s, const Checked& checked) {
  const auto& quality = checked.quality;
  auto is_given = [&](std::string_view option) { return std::ranges::count(s.given, option) > 0; };
  if (is_given("--min-coverage") && checked.fit && !checked.fit->code_bytes)
    return fail("{}: --min-coverage: {}", names_of_built(s.binaries), no_symbols);
  if (is_given("--min-flow") && !quality.entries_match_calls)
    return fail("{}: --min-flow: no function of it has both entries and calls to compare",
                s.profile);
  if (is_given("--max-excess-calls") && !quality.calls_beyond_places)
    return fail("{}: --max-excess-calls: there are no calls in it", s.profile);
  return {};
}

void list_measures(const Settings& s, Checked& checked) {
  auto& list = checked.measures;
  list.push_back({"density", checked.quality.density, s.min_density, true, s.min_density > 0,
                  Measure::Form::number});
  if (auto flow = checked.quality.entries_match_calls)
    list.push_back({"flow", 100 * *flow, s.min_flow, true, s.min_flow > 0});
  if (auto excess = checked.quality.calls_beyond_places)
    list.push_back(
        {"excess-calls", 100 * *excess, s.max_excess_calls, false, s.max_excess_calls < 100});
  if (checked.age)
    list.push_back({"age", *checked.age, s.max_age, false, s.max_age >= 0, Measure::Form::days});
  if (!checked.fit) return;
  const auto& fit = *checked.fit;
  if (fit.code_bytes)
    list.push_back(
        {"coverage", 100 * fit.covered_share(), s.min_coverage, true, s.min_coverage > 0});
  list.push_back({"stale", 100 * fit.stale_share(),
                  s.max_stale < 0 ? analysis::most_stale_percent : s.max_stale, false,
                  s.max_stale < 100});
  double vanished = fit.all.samples ? 100 * static_cast<double>(fit.vanished.samples) /
                                          static_cast<double>(fit.all.samples)
                                    : 0;
  if (!s.recording.empty()) {
    auto is_it = [](const Build& build) { return build.recorded == build.id; };
    list.push_back({"build-id", std::ranges::all_of(checked.builds, is_it) ? 100.0 : 0.0, 100, true,
                    true, Measure::Form::yes_or_no});
  }
  list.push_back({"vanished", vanished, s.max_vanished, false, s.max_vanished < 100});
}

std::span<const std::string> listed(const std::vector<std::string>& names, u64 top) {
  return std::span(names).first(top && top < names.size() ? top : names.size());
}

void names_text(std::string& text, std::string_view what, const std::vector<std::string>& list,
                u64 top, const report::FunctionNames& names) {
  auto lines = listed(list, top);
  for (const auto& name : lines)
    text += report::format("           {}: {}\n", what, names.of(name));
  if (lines.size() < list.size())
    text += report::format("           ... and {} more (--top 0 shows all)\n",
                           grouped(list.size() - lines.size()));
}

std::string flow_text(const Quality& q, bool mangled) {
  std::string text;
  if (q.entries_match_calls)
    text += report::format("flow       {}: entries beside calls of {}\n",
                           as_percent(*q.entries_match_calls),
                           report::counted(q.functions_with_calls, "function"));
  report::FunctionNames names(mangled);
  for (const auto& odd : q.odd) names.add_context(odd.function);
  if (q.entries_match_calls && *q.entries_match_calls < 0.9)
    for (const auto& odd : q.odd)
      text += report::format("           {}, {}: {}\n",
                             odd.entries == 1 ? "1 entry" : grouped(odd.entries) + " entries",
                             counted(odd.calls, "call"), names.of_context(odd.function));
  if (q.calls_beyond_places)
    text += report::format("calls      {} of them beyond the count of their place\n",
                           as_percent(*q.calls_beyond_places));
  return text;
}

// Most names are not the program's, which no change of a program comes to.
bool is_of_another_program(const Fit& fit) {
  return fit.all.functions > 0 && fit.vanished.functions * 10 >= fit.all.functions * 9;
}

// What the programs have of it is as it was, and the rest they have not by any name.
bool is_of_more_programs(const Fit& fit) {
  return fit.stale_share() > 0.05 && fit.changed.samples * 20 <= fit.all.samples &&
         fit.other_path.samples == 0;
}

std::string fit_text(const Settings& s, const Checked& checked) {
  const auto& fit = *checked.fit;
  report::FunctionNames names(s.mangled);
  for (const auto* list : {&fit.vanished_names, &fit.changed_names})
    for (const auto& name : listed(*list, s.top)) names.add(name);
  std::string text;
  for (size_t i = 0; i < checked.builds.size(); ++i) {
    const auto& build = checked.builds[i];
    text += report::format("program    {}, build id {}\n", s.binaries[i],
                           build.id.empty() ? "none" : build.id);
    if (!build.recorded.empty()) text += report::format("recorded   build id {}\n", build.recorded);
  }
  if (s.recording.empty() && checked.notes.empty())
    text += "recorded   not known: --recording FILE tells which build, and whether it saw enough\n";
  text += fit.code_bytes
              ? report::format(
                    "coverage   {} of its code: {} of {} bytes are of functions with samples\n",
                    as_percent(fit.covered_share()), grouped(fit.covered_bytes),
                    grouped(fit.code_bytes))
              : report::format("coverage   not known: {}\n", no_symbols);
  text += report::format("stale      {} of the samples\n", as_percent(fit.stale_share()));
  text += report::format("  vanished {} of {}, {} of the samples\n",
                         grouped(fit.vanished.functions), counted(fit.all.functions, "function"),
                         percent(fit.vanished.samples, fit.all.samples));
  if (fit.other_path.functions)
    text += report::format(
        "           {} of them, {} of the samples, are there by the path of another source file:\n"
        "           'pgokit match' gives them back; builds by 'pgokit flags profile --root DIR'\n"
        "           have one name for each\n",
        grouped(fit.other_path.functions), percent(fit.other_path.samples, fit.all.samples));
  names_text(text, "not in the program", fit.vanished_names, s.top, names);
  text += report::format("  changed  {} of {}, {} of the samples\n", grouped(fit.changed.functions),
                         counted(fit.all.functions, "function"),
                         percent(fit.changed.samples, fit.all.samples));
  if (fit.call_sites)
    text += report::format("           {} of {} {} where the program has {}\n",
                           grouped(fit.call_sites_there), counted(fit.call_sites, "call site"),
                           fit.call_sites == 1 ? "is" : "are", fit.call_sites == 1 ? "it" : "them");
  names_text(text, "changed", fit.changed_names, s.top, names);
  if (is_of_another_program(fit))
    text +=
        report::format("           {} has nearly none of its functions: is it the same program?\n",
                       names_of_built(s.binaries));
  else if (fit.vanished.samples * 10 >= fit.all.samples * 9 && fit.all.samples > 0)
    text += report::format(
        "           most samples are of functions that {} has not: of another program or library\n"
        "           (give each with -b), or renamed (pgokit match finds those)\n",
        names_of_built(s.binaries));
  else if (is_of_more_programs(fit))
    text += "           if the profile is of several programs or libraries, give each with -b\n";
  else if (fit.stale_share() > 0.05)
    text += "           pgokit match makes the profile fit the program\n";
  return text;
}

bool is_good(const Checked& checked) {
  return checked.quality.samples > 0 && std::ranges::all_of(checked.measures, &Measure::good);
}

// In one word, of the text and the JSON.
std::string_view verdict_of(const Checked& checked) {
  if (checked.quality.samples == 0) return "empty";
  return !is_good(checked)                                    ? "bad"
         : is_thin(checked.quality.density, checked.evidence) ? "thin"
                                                              : "good";
}

std::string verdict_text(const Settings& s, const Checked& checked) {
  auto verdict = verdict_of(checked);
  std::string fits = checked.fit ? ", and fits the program" : "";
  if (verdict == "good") return "good" + fits;
  if (verdict == "thin")
    return fmt::format(
        "thin{}: more samples would optimize better{}", fits,
        checked.evidence.is_known() || !s.recording.empty()
            ? ""
            : fmt::format(", unless all of a run was counted: {}--recording FILE tells",
                          s.binaries.empty() ? "-b PROGRAM " : ""));
  if (verdict == "empty") return "EMPTY: there is nothing to optimize by";
  if (checked.fit && is_of_another_program(*checked.fit)) return "BAD: of another program";
  std::string missed;
  for (const auto& measure : checked.measures)
    if (!measure.good()) missed += (missed.empty() ? "" : ", ") + measure.name;
  return "BAD: " + missed;
}

std::string as_text(const Settings& s, const Checked& checked) {
  const auto& q = checked.quality;
  std::string text = report::format("profile    {}\n", s.profile);
  text += report::format("functions  {} with {} and {}\n", grouped(q.functions),
                         report::counted(q.places, "place"), report::counted(q.samples, "sample"));
  text += report::format("density    {}\n", density_text(q.density, checked.evidence));
  text += flow_text(q, s.mangled);
  text += notes_text(checked.notes, 1);
  if (checked.fit) text += fit_text(s, checked);
  for (const auto& measure : checked.measures)
    if (measure.asked)
      text += report::format("{}  {}\n", measure.good() ? "good     " : "BAD      ",
                             measure.sentence());
  return text + report::format("verdict    {}\n", verdict_text(s, checked));
}

std::string as_markdown(const Settings& s, const Checked& checked) {
  report::MarkdownPage page{.title = "Profile",
                            .name = s.profile,
                            .verdict = verdict_text(s, checked),
                            .columns = {"measure", "value", "asked for", ""},
                            .rows = {},
                            .details = as_text(s, checked)};
  for (const auto& m : checked.measures) {
    bool yes_or_no = m.form == Measure::Form::yes_or_no;
    auto value = yes_or_no ? (m.good() ? "the program's" : "another") : m.text(m.value);
    auto bound = fmt::format("{} {}", m.at_least ? "at least" : "at most", m.text(m.bound));
    page.rows.push_back({m.name, value, !m.asked || yes_or_no ? "" : bound,
                         !m.asked   ? ""
                         : m.good() ? "good"
                                    : "**BAD**"});
  }
  return report::markdown(page);
}

Json names_json(const std::vector<std::string>& names, u64 top) {
  Json list = Json::array();
  for (size_t i = 0; i < names.size() && (top == 0 || i < top); ++i) list.push(names[i]);
  return list;
}

Json fit_json(const Settings& s, const Fit& fit) {
  Json json = Json::object();
  add_programs(json, s.binaries);
  return std::move(json.set("functions", fit.all.functions)
                       .set("samples", fit.all.samples)
                       .set("vanished_functions", fit.vanished.functions)
                       .set("vanished_samples", fit.vanished.samples)
                       .set("other_path_functions", fit.other_path.functions)
                       .set("other_path_samples", fit.other_path.samples)
                       .set("changed_functions", fit.changed.functions)
                       .set("changed_samples", fit.changed.samples)
                       .set("call_sites", fit.call_sites)
                       .set("call_sites_there", fit.call_sites_there)
                       .set("code_bytes", fit.code_bytes)
                       .set("covered_bytes", fit.covered_bytes)
                       .set("vanished", names_json(fit.vanished_names, s.top))
                       .set("changed", names_json(fit.changed_names, s.top)));
}

std::string as_json(const Settings& s, const Checked& checked) {
  Json measures = Json::object();
  for (const auto& measure : checked.measures) {
    Json one = Json::object();
    one.set("value", measure.value);
    if (measure.asked) one.set(measure.at_least ? "at_least" : "at_most", measure.bound);
    one.set("good", measure.good());
    measures.set(measure.name, std::move(one));
  }
  Json warnings = Json::array();
  for (const auto& warning : checked.warnings) warnings.push(warning);
  Json json = Json::object();
  json.set("profile", s.profile)
      .set("good", is_good(checked))
      .set("verdict", std::string(verdict_of(checked)))
      .set("functions", checked.quality.functions)
      .set("places", checked.quality.places)
      .set("samples", checked.quality.samples)
      .set("measures", std::move(measures));
  if (!checked.notes.empty()) add_notes(json, checked.notes);
  if (checked.fit) json.set("fit", fit_json(s, *checked.fit)).set("warnings", std::move(warnings));
  return json.text() + "\n";
}

// It has no counts that could be thin or stale.
Result<int> check_coverage(const Settings& s, const profile::Profile& profile) {
  for (const auto& option : s.given)
    if (option.starts_with("--min-") || option.starts_with("--max-") || option == "--markdown")
      return fail("{}: {}: it says which functions ran (coverage), and has no counts", s.profile,
                  option);
  auto never = profile.symbols.size();
  Json json = Json::object();
  json.set("profile", s.profile)
      .set("good", true)
      .set("verdict", "coverage")
      .set("never_ran", never);
  report::print("{}", s.json ? report::lines(json.text() + "\n")
                             : report::lines(report::format(
                                   "profile    {}\nnever ran  {}, all others did\n"
                                   "verdict    coverage: it has no counts that could be stale\n",
                                   s.profile, counted(never, "function"))));
  return 0;
}

Result<int> check(Settings& s) {
  TRY(check_settings(s));
  auto file = TRY(MappedFile::open(s.profile));
  TRY(pipeline::refuse_other_than_profile(s.profile, file.bytes()));
  auto read = TRY_IN(s.profile, profile::read_profile(file.bytes()));
  if (is_coverage(read.profile)) return check_coverage(s, read.profile);
  Checked checked;
  TRY(take_notes(s, read.profile.notes, checked));
  checked.quality = analysis::measure_quality(columns_of(read), density(read.profile).density);
  if (!s.binaries.empty()) checked.fit = TRY(fit_of(s, read.profile, checked));
  TRY(check_measured(s, checked));
  list_measures(s, checked);
  for (const auto& warning : checked.warnings)
    report::print(stderr, "pgokit check: warning: {}\n", warning);
  report::print("{}", report::lines(s.json       ? as_json(s, checked)
                                    : s.markdown ? as_markdown(s, checked)
                                                 : as_text(s, checked)));
  return is_good(checked) ? 0 : below_threshold;
}

int run(std::span<char* const> arguments) {
  Settings s;
  OptionTable table{
      "pgokit check",
      "Tell how good a profile is, and whether it still fits a program.",
      {{"PROFILE", "", "the profile", &s.profile, true},
       {"-b,--binary", "FILE", "the program it is to be used for; several where it is of several",
        &s.binaries},
       {"--recording", "FILE", "the recording it was made from: its program must be this build",
        &s.recording},
       {"--debug", "FILE", "where the program's debug information is", &s.program.debug_path},
       {"--min-density", "N", "samples per place that are wanted", &s.min_density},
       {"--min-flow", "PERCENT", "how far entries and calls of functions must agree", &s.min_flow},
       {"--max-excess-calls", "PERCENT", "calls beyond the count of their place",
        &s.max_excess_calls},
       {"--min-coverage", "PERCENT", "code bytes of functions with samples", &s.min_coverage},
       {"--max-stale", "PERCENT", "samples in functions that changed or vanished (20; 100: any)",
        &s.max_stale},
       {"--max-vanished", "PERCENT", "samples in functions that vanished", &s.max_vanished},
       {"--max-age", "DAYS", "since it was recorded, by its note (pgokit generate --note)",
        &s.max_age},
       {"--top", "N", "how many functions are named in each list; 0 is all", &s.top},
       {"--threads", "N", "how many at a time; 0 is all cores", &s.threads},
       mangled_option(s.mangled),
       {"--markdown", "", "print Markdown, for a comment of a code review", &s.markdown},
       {"--json", "", "print JSON", &s.json}},
      "Exit codes: 0, 1 a file is unusable, 2 wrong usage, 3 a threshold is missed, also that of\n"
      "--max-stale where it is not given."};
  table.given = &s.given;
  if (auto exit = parse_options(table, arguments)) return *exit;
  auto code = check(s);
  return code ? *code : report_failure("check", code.error());
}

}  // namespace

constexpr Command check_command{"check", "tell whether a profile is good and fits a program", run};

}  // namespace pgokit::cli
