#include "optimize/optimize.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>

#include "base/progress.h"
#include "cli/commands/commands.h"
#include "cli/compilers.h"
#include "cli/options.h"
#include "cli/views/measurement.h"
#include "cli/views/optimization.h"
#include "measure/signed_ranks.h"
#include "report/print.h"

namespace pgokit::cli {
namespace {

struct Settings {
  optimize::Settings optimize;
  std::string with, by = "probes", flags_by = "wrapper", clean;
  bool json = false, quiet = false;
  std::vector<std::string> given;

  bool is_given(std::string_view option) const { return std::ranges::count(given, option) > 0; }
};

std::string names_of_variants() {
  std::string names;
  for (const auto& variant : optimize::variants())
    names += (names.empty() ? "" : ", ") + std::string(variant.name);
  return names;
}

Status set_variants(Settings& s) {
  for (std::string_view rest = s.with; !rest.empty();) {
    auto name = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(rest.size(), name.size() + 1));
    if (std::ranges::count(optimize::variants(), name, &optimize::Variant::name) == 0)
      return usage_error("--with {}: there are {}", name, names_of_variants());
    if (std::ranges::count(s.optimize.with, name) == 0) s.optimize.with.emplace_back(name);
  }
  return {};
}

Status set_flags_by(Settings& s) {
  using enum optimize::FlagsBy;
  constexpr std::pair<std::string_view, optimize::FlagsBy> ways[] = {
      {"wrapper", wrapper}, {"variables", variables}, {"cmake", cmake}};
  for (const auto& [name, way] : ways)
    if (name == s.flags_by) return s.optimize.flags_by = way, Status{};
  return usage_error("--flags-by {}: it is wrapper, variables or cmake", s.flags_by);
}

Status check(Settings& s) {
  auto& o = s.optimize;
  for (auto [option, command] : {std::pair("--build", &o.build), {"--run", &o.run}})
    if (measure::command_of(*command).empty())
      return usage_error("{} is needed: pgokit optimize --build 'make' --run './app train'",
                         option);
  if (s.is_given("--measure") && measure::command_of(o.measure).empty())
    return usage_error("--measure is a command");
  if (o.folder.empty()) return usage_error("--work is a folder");
  if (s.is_given("--clean")) o.clean = s.clean;
  if (s.by != "probes" && s.by != "lines")
    return usage_error("--by {}: it is probes or lines", s.by);
  o.by_probes = s.by == "probes";
  TRY(set_variants(s));
  if (!o.by_probes && std::ranges::count(o.with, "lines") > 0)
    return usage_error("--with lines: --by lines makes no other profile");
  TRY(set_flags_by(s));
  if (s.is_given("--runs") && s.is_given("--for"))
    return usage_error("--runs and --for exclude each other");
  size_t commands = 2 + o.with.size();
  auto least = measure::least_pairs(measure::confidence_of_each(optimize::confidence, commands));
  if (s.is_given("--runs") && (o.rounds < least || o.rounds > measure::most_pairs))
    return usage_error("--runs {}: {} builds are compared by {} to {}", o.rounds, commands, least,
                       measure::most_pairs);
  if (!std::isfinite(o.seconds) || o.seconds <= 0)
    return usage_error("--for is a number of seconds");
  return {};
}

void set_options(optimize::Settings& o) {
  Compiler clang;
  clang.family = CompilerFamily::clang;
  std::error_code error;
  o.profiling = compilers::profiling_flags(clang, {.unique_names = true},
                                           std::filesystem::current_path(error).string())
                    .compile;
  o.probes = probe_option(clang);
}

Status optimize_program(Settings& s) {
  TRY(check(s));
  auto& o = s.optimize;
  set_options(o);
  std::vector<std::string> commands;
  o.say = [&](const std::string& line) {
    if (line.starts_with("$ ")) commands.push_back(line.substr(2));
    if (!s.quiet) report::print(stderr, "{}\n", report::lines(printable(line)));
  };
  std::optional<Progress> progress;
  o.progress = [&](u64 runs, const std::string& command) {
    if (s.quiet) return;
    if (!progress) progress.emplace("measuring", 0);
    progress->show(report::format("run {}: {}", runs, command));
  };
  o.as_json = [](const measure::Plan& plan, const measure::Measurement& measurement) {
    return MeasuredCommands{
        .plan = plan, .measurement = measurement, .confidence = optimize::confidence}
        .as_json();
  };
  auto outcome = TRY(optimize::optimize(o));
  progress.reset();
  Optimization view{.settings = o, .outcome = outcome, .commands = commands};
  report::print("{}", report::lines(s.json ? view.as_json() : view.as_text()));
  return {};
}

int run(std::span<char* const> arguments) {
  Settings s;
  auto& o = s.optimize;
  std::string footer = "builds for --with, each kept only if it is the fastest:\n";
  std::vector<std::string> variants;
  for (const auto& variant : optimize::variants()) {
    footer += fmt::format("  {:<12}{}\n", variant.name, variant.what);
    variants.emplace_back(variant.name);
  }
  footer +=
      "\nexamples:\n"
      "  pgokit optimize --build make --run './app train.txt'\n"
      "  pgokit optimize --build 'cmake -B out && cmake --build out' --run 'out/app train.txt' \\\n"
      "    --measure 'out/app other.txt' --with layout\n"
      "\nCommands run in the current folder, where the program is built each time. An interrupted\n"
      "command goes on where it stopped when it is given again.\n";
  OptionTable table{
      "pgokit optimize",
      "Build a program, record it, build it with the profile, and keep the faster build.",
      {{"--build", "CMD", "builds the program", &o.build},
       {"--run", "CMD", "runs it with typical work, which is recorded", &o.run},
       {"--measure", "CMD", "is measured (what --run says)", &o.measure},
       {"--clean", "CMD", "removes what a build has made (make clean and the like are known)",
        &s.clean},
       {"-p,--program", "FILE", "the program (what ran most of what the build made)", &o.program},
       one_of({"--by", "PLACES",
               "the profile counts at probes (the default), or at lines: one build less", &s.by},
              {"probes", "lines"}),
       one_of({"--with", "LIST", "other builds to try: see below", &s.with}, variants),
       one_of({"--flags-by", "WAY", "how options reach the compiler: {}", &s.flags_by},
              {"wrapper", "variables", "cmake"}),
       {"--sampled", "", "record samples of the run: faster than counting all of it", &o.sampled},
       {"-w,--work", "DIR", "where all is kept that is not the build's (.pgokit)", &o.folder},
       {"-n,--runs", "N", "how often each build is measured (as many as fit into --for)",
        &o.rounds},
       {"--for", "SECONDS", "how long two builds are measured (20), and at least 10 rounds of all",
        &o.seconds},
       {"--restart", "", "begin from the start, not where it stopped", &o.restart},
       {"--json", "", "print JSON", &s.json},
       {"-q,--quiet", "", "do not print the commands that are run", &s.quiet}},
      footer};
  table.given = &s.given;
  if (auto exit = parse_options(table, arguments)) return *exit;
  auto status = optimize_program(s);
  return status ? 0 : report_failure("optimize", status.error());
}

}  // namespace

constexpr Command optimize_command{"optimize", "build, record, rebuild, measure: all in one", run};

}  // namespace pgokit::cli
