#include "cli/views/optimization.h"

#include <algorithm>

#include "base/shell_word.h"
#include "cli/views/measurement.h"
#include "measure/signed_ranks.h"
#include "optimize/builder.h"
#include "report/json.h"
#include "report/numbers.h"
#include "report/print.h"

namespace pgokit::cli {
namespace {

using report::Json;

MeasuredCommands measured(const optimize::Outcome& outcome) {
  return {
      .plan = outcome.plan, .measurement = outcome.measurement, .confidence = optimize::confidence};
}

Json json_of(const std::vector<std::string>& words) {
  Json json = Json::array();
  for (const auto& word : words) json.push(word);
  return json;
}

}  // namespace

std::string Optimization::own_build(const optimize::Build& build, std::string_view before) const {
  if (settings.cargo) {
    auto words = build.options.compile;
    for (const auto& word : build.options.link) words.push_back("-Clink-arg=" + word);
    return report::format(
        "{}cargo pgokit optimize --use {}{} builds with this profile, here or elsewhere\n"
        "          in your own build, add to RUSTFLAGS{}: {}\n",
        before, shell_word(build.profile),
        outcome.counted && build.profile.ends_with(".prof") ? " --counted" : "",
        std::ranges::any_of(words, [](const auto& word) { return word.starts_with("-Z"); })
            ? ", with RUSTC_BOOTSTRAP=1"
            : "",
        shell_line(words));
  }
  auto text = report::format("{}in your own build by {}, add to CFLAGS and CXXFLAGS: {}\n", before,
                             outcome.compiler, shell_line(build.options.compile));
  if (!build.options.link.empty())
    text += report::format("          to LDFLAGS: {}\n", shell_line(build.options.link));
  return text;
}

// Where nothing was seen to be faster. Whole build systems may stand in the command.
std::string Optimization::more_to_measure() const {
  const auto& runs = outcome.measurement.runs[0];
  double cpu_s = measure::median_of(values_of(runs, measure::Figure::cpu_time));
  if (cpu_s < measure::shortest_s)
    return fmt::format(
        "next      let {} take longer: the {:.1f} ms of a run are mostly the start of a process\n",
        settings.measure.empty() ? "--run" : "--measure", 1000 * cpu_s);
  constexpr size_t long_command = 100;
  // Those that were, and three times as many more, as the comparison says.
  auto rounds = fmt::format("-n {}", std::min<size_t>(4 * runs.size(), measure::most_pairs));
  auto command = optimize::command_of(outcome.plan, rounds);
  if (command.size() > long_command)
    command = fmt::format("{}pgokit optimize again, with {}{}", settings.cargo ? "cargo " : "",
                          rounds, settings.rounds ? "" : " in place of --for");
  return report::format("next      {}   # more rounds tell smaller gains\n", command);
}

// More rounds and the options of that build are no help then.
bool Optimization::profile_is_slower() const {
  auto compared = measured(outcome);
  auto ratio = compared.ratio(1, compared.by);
  return ratio && ratio->low > 1;
}

// It finds the functions whose profile does that.
std::string Optimization::bisecting() const {
  if (settings.cargo)
    return "next      pgokit bisect --help   # for what the profile makes slower\n";
  return report::format(
      "next      pgokit bisect {} --build {} --run {} -p {}   # for what it makes slower\n",
      shell_word(outcome.builds[1].profile), shell_word(settings.build),
      shell_word(settings.measure.empty() ? settings.run : settings.measure),
      shell_word(outcome.program));
}

// The command that tells what became of the profile that the program was built with, if that is it.
std::string Optimization::explaining() const {
  const auto& first = outcome.builds[1];
  const auto& profiled = outcome.kept ? outcome.builds[outcome.kept] : first;
  if (first.telling.compile.empty() || profiled.profile != first.profile) return "";
  return fmt::format("pgokit explain {} -b {}", shell_word(first.profile), shell_word(first.file));
}

// Where much of the training run was in what no profile of the program makes faster.
std::string Optimization::where_it_ran() const {
  constexpr double most_of_it = 0.75;
  const auto& [share, rest] = outcome.ran;
  if (share >= most_of_it || rest.empty()) return "";
  std::vector<std::string> parts;
  for (const auto& [file, part] : rest)
    parts.push_back(fmt::format("{} in {}", report::as_percent(part), file));
  return report::format(
      "ran       only {} of the training run was in {}, {}: a profile of the program makes nothing "
      "else faster\n",
      report::as_percent(share), outcome.program, fmt::join(parts, ", "));
}

std::string Optimization::as_text() const {
  if (settings.goal != optimize::Goal::measure) return one_build();
  std::string text = measured(outcome).as_text() + "\n";
  for (const auto& build : outcome.builds)
    text += report::format("{:9} {}\n", build.name, build.file);
  const auto& kept = outcome.builds[outcome.kept];
  text += report::format("kept      {} is now {}\n", outcome.program,
                         outcome.kept
                             ? kept.name + ", the least time, and faster than plain for certain"
                             : "plain: no other build is faster for certain");
  if (!settings.cargo && outcome.made_last != kept.name)
    text += report::format(
        "          (all else that was built is still of the build {}: clean before you build "
        "again)\n",
        outcome.made_last);
  for (const auto& [file, share] : outcome.others)
    text += report::format(
        "also ran  {}, {:.1f} % of what was built and ran: --program {} optimizes that instead\n",
        file, 100 * share, shell_word(file));
  text += where_it_ran();
  if (!outcome.report.empty()) text += report::format("report    {}\n", outcome.report);
  const auto& profiled = outcome.kept ? kept : outcome.builds[1];
  text += report::format("profile   {}\n", profiled.profile);
  if (auto command = explaining(); !command.empty())
    text += report::format("why       {}\n", command);
  if (!outcome.kept && profile_is_slower()) return text + bisecting();
  if (!outcome.kept)
    return text + more_to_measure() + own_build(profiled, "          or with the profile: ");
  text += own_build(kept, "next      ");
  if (!kept.after.empty()) text += report::format("          then run: {}\n", kept.after);
  return text;
}

// Where nothing was measured: what there is now, and what is next.
std::string Optimization::one_build() const {
  const auto& build = outcome.builds[0];
  auto text = report::format("program   {}\n", outcome.program);
  switch (settings.goal) {
    case optimize::Goal::build:
      return text + "next      cargo pgokit run -- ARGS runs and records it\n";
    case optimize::Goal::record:
      return report::format(
          "profile   {}\nnext      cargo pgokit optimize builds the program with it\n",
          build.profile);
    default:
      return text + report::format("profile   {}\n", build.profile);
  }
}

std::string Optimization::as_json() const {
  Json json = Json::object(), builds = Json::array();
  for (const auto& build : outcome.builds) {
    Json one = Json::object();
    one.set("name", build.name).set("file", build.file);
    one.set("profile", build.profile).set("compile", json_of(build.options.compile));
    one.set("link", json_of(build.options.link)).set("after", build.after);
    builds.push(std::move(one));
  }
  json.set("program", outcome.program).set("kept", outcome.builds[outcome.kept].name);
  json.set("builds", std::move(builds)).set("commands", json_of(commands));
  Json others = Json::array();
  for (const auto& [file, share] : outcome.others)
    others.push(std::move(Json::object().set("file", file).set("share", share)));
  Json ran = Json::object(), rest = Json::array();
  for (const auto& [file, share] : outcome.ran.rest)
    rest.push(std::move(Json::object().set("file", file).set("share", share)));
  ran.set("program_share", outcome.ran.program).set("rest", std::move(rest));
  if (settings.goal == optimize::Goal::measure) json.set("training_run", std::move(ran));
  json.set("made_last", outcome.made_last).set("others", std::move(others));
  json.set("report", outcome.report);
  if (settings.goal == optimize::Goal::measure)
    json.set("why", explaining()).set("measurement", measured(outcome).json());
  return json.text() + "\n";
}

}  // namespace pgokit::cli
