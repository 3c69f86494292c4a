#include "optimize/optimize.h"

#include <algorithm>

#include "cli/commands/commands.h"
#include "cli/commands/optimizing.h"
#include "cli/compilers.h"
#include "cli/options.h"

namespace pgokit::cli {
namespace {

struct Settings {
  Optimizing o;
  std::string by = "probes", flags_by = "wrapper", clean;
};

Status set_flags_by(Settings& s) {
  using enum optimize::FlagsBy;
  constexpr std::pair<std::string_view, optimize::FlagsBy> ways[] = {
      {"wrapper", wrapper}, {"variables", variables}, {"cmake", cmake}};
  for (const auto& [name, way] : ways)
    if (name == s.flags_by) return s.o.settings.flags_by = way, Status{};
  return usage_error("--flags-by {}: it is wrapper, variables or cmake", s.flags_by);
}

Status check(Settings& s) {
  auto& o = s.o.settings;
  for (auto [option, command] : {std::pair("--build", &o.build), {"--run", &o.run}})
    if (measure::command_of(*command).empty())
      return usage_error("{} is needed: pgokit optimize --build 'make' --run './app train'",
                         option);
  if (s.o.is_given("--measure") && measure::command_of(o.measure).empty())
    return usage_error("--measure is a command");
  if (s.o.is_given("--clean")) o.clean = s.clean;
  if (s.by != "probes" && s.by != "lines")
    return usage_error("--by {}: it is probes or lines", s.by);
  o.by_probes = s.by == "probes";
  TRY(s.o.check());
  return set_flags_by(s);
}

void set_options(optimize::Settings& o) {
  Compiler clang;
  clang.family = CompilerFamily::clang;
  o.profiling = profiling_words_here();
  o.probes = probe_option(clang);
}

Status optimize_program(Settings& s) {
  TRY(check(s));
  set_options(s.o.settings);
  auto outcome = TRY(s.o.run());
  s.o.print(outcome);
  return {};
}

int run(std::span<char* const> arguments) {
  Settings s;
  auto& o = s.o.settings;
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
       one_of({"--with", "LIST", "other builds to try: see below", &s.o.with}, variants),
       one_of({"--flags-by", "WAY", "how options reach the compiler: {}", &s.flags_by},
              {"wrapper", "variables", "cmake"}),
       {"--sampled", "", "record samples of the run: faster than counting all of it", &o.sampled},
       {"-w,--work", "DIR", "where all is kept that is not the build's (.pgokit)", &o.folder},
       {"-n,--runs", "N",
        "how often each build is measured (as many as fit into --for); at least 6 of two builds",
        &o.rounds},
       {"--for", "SECONDS",
        "in place of --runs: how long two builds are measured (20), and at least 10 rounds of all",
        &o.seconds},
       {"--restart", "", "begin from the start, not where it stopped", &o.restart},
       {"--json", "", "print JSON", &s.o.json},
       {"-q,--quiet", "", "do not print the commands that are run", &s.o.quiet}},
      footer};
  table.given = &s.o.given;
  if (auto exit = parse_options(table, arguments)) return *exit;
  auto status = optimize_program(s);
  return status ? 0 : report_failure("optimize", status.error());
}

}  // namespace

constexpr Command optimize_command{"optimize", "build, record, rebuild, measure: all in one", run};

}  // namespace pgokit::cli
