#include "bisect/bisect.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "base/function_name.h"
#include "base/progress.h"
#include "cli/commands/commands.h"
#include "cli/compilers.h"
#include "cli/options.h"
#include "cli/views/bisection.h"
#include "measure/signed_ranks.h"
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
    return usage_error("--builds {}: at least 2, with the whole profile and without some of it",
                       b.most_builds);
  if (!b.only.empty() && b.whole_functions)
    return usage_error("--sites and --whole-functions exclude each other");
  return {};
}

// Of the sites that were found. A program that is none, or without debug information, has none.
annotate::SourcePlaces places_in(const bisect::Outcome& outcome) {
  std::set<std::string, std::less<>> functions;
  for (const auto& culprit : outcome.culprits)
    if (!culprit.sites.empty()) functions.emplace(canonical_function_name(culprit.functions[0]));
  if (functions.empty()) return {};
  auto program = program::Program::open(
      outcome.program, {.debug_path = {}, .dwp_path = {}, .use_dwarf = !outcome.by_probes});
  if (!program || !program->load_functions(0)) return {};
  auto places = annotate::SourcePlaces::of(*program, functions);
  return places ? std::move(*places) : annotate::SourcePlaces();
}

Status bisect_profile(Settings& s) {
  TRY(check(s));
  auto& b = s.bisect;
  Compiler clang;
  clang.family = CompilerFamily::clang;
  b.profiling = profiling_words_here();
  b.probes = compilers::probe_option(clang);
  b.say = [&](const std::string& line) {
    if (!s.quiet) report::print(stderr, "{}\n", report::lines(printable(line)));
  };
  std::optional<Progress> progress;
  b.progress = [&](const measure::Step& step) {
    if (s.quiet) return;
    if (!progress) progress.emplace("measuring", 0);
    progress->show(report::format("{}", as_text(step)));
  };
  auto outcome = TRY(bisect::bisect(b));
  progress.reset();
  BisectionView view{b.profile, b.only, &outcome, places_in(outcome), s.mangled};
  report::print("{}", report::lines(s.json ? bisection_json(view) : bisection_text(view)));
  return {};
}

int run(std::span<char* const> arguments) {
  Settings s;
  auto& b = s.bisect;
  OptionTable table{
      "pgokit bisect",
      "Find the functions, and the lines in them, whose profile makes the program slower.",
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
       {"--sites", "FUNCTION", "look among the sites of this function only", &b.only},
       {"--whole-functions", "", "leave out all of a function that is found, not some sites of it",
        &b.whole_functions},
       {"-n,--runs", "N",
        "how often both builds of a comparison run (16); at least 8, of many builds more",
        &b.rounds},
       {"--min-change", "PERCENT", "less than that is no difference (1)", &b.least_change},
       {"--builds", "N", "how many at most (by the logarithm of the number of functions and sites)",
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
