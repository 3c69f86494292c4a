#include "bisect/bisect.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>

#include "base/progress.h"
#include "cli/commands/commands.h"
#include "cli/compilers.h"
#include "cli/options.h"
#include "measure/signed_ranks.h"
#include "report/function_names.h"
#include "report/json.h"
#include "report/numbers.h"
#include "report/print.h"

namespace pgokit::cli {
namespace {

struct Settings {
  bisect::Settings bisect;
  std::string clean;
  bool json = false, quiet = false, mangled = false;
  std::vector<std::string> given;

  bool is_given(std::string_view option) const { return std::ranges::count(given, option) > 0; }
};

Status check(Settings& s) {
  auto& b = s.bisect;
  for (auto [option, command] : {std::pair("--build", &b.build), {"--run", &b.run}})
    if (measure::command_of(*command).empty())
      return usage_error("{} is needed: pgokit bisect app.prof --build 'make' --run './app train'",
                         option);
  if (b.folder.empty()) return usage_error("--work is a folder");
  if (s.is_given("--clean")) b.clean = s.clean;
  if (b.rounds > measure::most_pairs)
    return usage_error("--runs {}: at most {}", b.rounds, measure::most_pairs);
  if (!std::isfinite(b.least_change) || b.least_change < 0 || b.least_change >= 100)
    return usage_error("--min-change is a percentage below 100");
  if (s.is_given("--builds") && b.most_builds < 2)
    return usage_error("--builds {}: the whole profile and one without something are 2",
                       b.most_builds);
  return {};
}

std::string change_of(const measure::Ratio& ratio) {
  return fmt::format("{:.1f} % faster without, {:.1f} to {:.1f} %", 100 * (1 - ratio.value),
                     100 * (1 - ratio.high), 100 * (1 - ratio.low));
}

std::string as_text(const Settings& s, const bisect::Outcome& outcome) {
  report::FunctionNames names(s.mangled);
  for (const auto& culprit : outcome.culprits)
    for (const auto& function : culprit.functions) names.add(function);
  auto text =
      report::format("functions {} in {}\nbuilds    {}\n", report::grouped(outcome.functions),
                     s.bisect.profile, report::grouped(outcome.builds));
  for (const auto& culprit : outcome.culprits) {
    text += report::format("found     {} ({})\n", names.of(culprit.functions[0]),
                           change_of(culprit.ratio));
    for (size_t i = 1; i < culprit.functions.size(); ++i)
      text += report::format("          together with {}\n", names.of(culprit.functions[i]));
  }
  if (!outcome.unresolved.empty())
    text += fmt::format("more      something among {} is slower; --builds N tells what\n",
                        report::counted(outcome.unresolved.size(), "other function"));
  else if (outcome.culprits.empty())
    text +=
        fmt::format("none      no function was found whose profile makes the program slower{}\n",
                    outcome.exhausted ? "; --builds N looks further" : "");
  if (!outcome.output.empty())
    text += report::format("wrote     {}, without them\n", outcome.output);
  return text;
}

std::string as_json(const bisect::Outcome& outcome) {
  auto json = report::Json::object(), culprits = report::Json::array();
  for (const auto& culprit : outcome.culprits) {
    auto one = report::Json::object(), functions = report::Json::array();
    for (const auto& function : culprit.functions) functions.push(function);
    one.set("functions", std::move(functions)).set("ratio", culprit.ratio.value);
    one.set("low", culprit.ratio.low).set("high", culprit.ratio.high);
    culprits.push(std::move(one));
  }
  json.set("functions", outcome.functions).set("builds", outcome.builds);
  json.set("culprits", std::move(culprits)).set("output", outcome.output);
  auto unresolved = report::Json::array();
  for (const auto& function : outcome.unresolved) unresolved.push(function);
  json.set("unresolved", std::move(unresolved)).set("exhausted", outcome.exhausted);
  return json.text() + "\n";
}

Status bisect_profile(Settings& s) {
  TRY(check(s));
  auto& b = s.bisect;
  Compiler clang;
  clang.family = CompilerFamily::clang;
  std::error_code error;
  b.profiling =
      profiling_words(clang, {.unique_names = true}, std::filesystem::current_path(error).string());
  b.say = [&](const std::string& line) {
    if (!s.quiet) report::print(stderr, "{}\n", report::lines(printable(line)));
  };
  std::optional<Progress> progress;
  b.progress = [&](u64 runs, const std::string& command) {
    if (s.quiet) return;
    if (!progress) progress.emplace("measuring", 0);
    progress->show(report::format("run {}: {}", runs, command));
  };
  auto outcome = TRY(bisect::bisect(b));
  progress.reset();
  report::print("{}", report::lines(s.json ? as_json(outcome) : as_text(s, outcome)));
  return {};
}

int run(std::span<char* const> arguments) {
  Settings s;
  auto& b = s.bisect;
  OptionTable table{
      "pgokit bisect",
      "Find the functions whose profile makes the program slower.",
      {{"PROFILE", "", "a sample profile", &b.profile, true},
       {"--build", "CMD", "builds the program, with the profile {profile} or $PGOKIT_PROFILE",
        &b.build},
       {"--run", "CMD", "what is measured", &b.run},
       {"--clean", "CMD", "removes what a build has made (make clean and the like are known)",
        &s.clean},
       {"-p,--program", "FILE", "the program (the first word of --run)", &b.program},
       {"-o,--output", "FILE", "the profile without them (without.prof in --work)", &b.output},
       {"-w,--work", "DIR", "where all is kept that is not the build's (.pgokit-bisect)",
        &b.folder},
       {"-n,--runs", "N", "how often both builds of a comparison run (16)", &b.rounds},
       {"--min-change", "PERCENT", "less than that is no difference (1)", &b.least_change},
       {"--builds", "N", "how many at most (twice the logarithm of the number of functions)",
        &b.most_builds},
       {"--restart", "", "begin from the start, not where it stopped", &b.restart},
       mangled_option(s.mangled),
       {"--json", "", "print JSON", &s.json},
       {"-q,--quiet", "", "do not print the commands that are run", &s.quiet}},
      "example:\n"
      "  pgokit bisect app.prof --build 'make PROFILE={profile}' --run './app train'\n\n"
      "A build that names no profile gets it, with the options for profiling, as pgokit optimize\n"
      "gives options. An interrupted command goes on where it stopped when it is given again.\n"};
  table.given = &s.given;
  if (auto exit = parse_options(table, arguments)) return *exit;
  auto status = bisect_profile(s);
  return status ? 0 : report_failure("bisect", status.error());
}

}  // namespace

constexpr Command bisect_command{"bisect", "find functions whose profile makes a program slower",
                                 run};

}  // namespace pgokit::cli
