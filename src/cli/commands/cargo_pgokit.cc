// cargo pgokit: the road of `pgokit optimize` for programs that cargo builds. Cargo calls
// `cargo-pgokit pgokit VERB ...`.
#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "base/file.h"
#include "base/shell_word.h"
#include "cli/commands/cargo_info.h"
#include "cli/commands/commands.h"
#include "cli/commands/optimizing.h"
#include "cli/library_folder.h"
#include "cli/options.h"
#include "profile/format.h"
#include "report/print.h"

namespace pgokit::cli {
namespace {

namespace fs = std::filesystem;
using optimize::Goal;

constexpr unsigned llvm_of_plugin = 22;

struct Settings {
  Optimizing o;
  optimize::Cargo cargo;
  std::string package, manifest, features, jobs, by;
  std::vector<std::string> config;
  bool all_features = false, no_default_features = false;
  bool locked = false, offline = false, frozen = false;
  std::vector<std::string> trailing;
};

// As cargo build has them: these go to it as they are.
std::vector<Option> options_of_cargo(Settings& s) {
  auto& cargo = s.cargo;
  return {{"--bin", "NAME", "the program, where the workspace has several", &cargo.bin},
          {"--example", "NAME", "an example instead", &cargo.example},
          {"-p,--package", "SPEC", "the package that it is of", &s.package},
          {"--manifest-path", "FILE", "Cargo.toml of the package", &s.manifest},
          {"--target", "TRIPLE", "what it is built for", &cargo.target},
          {"--profile", "NAME", "cargo's profile for the build (release)", &cargo.profile},
          {"-F,--features", "LIST", "features of the package", &s.features},
          {"--all-features", "", "all of them", &s.all_features},
          {"--no-default-features", "", "none but those of --features", &s.no_default_features},
          {"--config", "KEY=VALUE", "a setting of cargo", &s.config},
          {"-j,--jobs", "N", "how many compilers run at a time", &s.jobs},
          {"--locked", "", "Cargo.lock stays as it is", &s.locked},
          {"--offline", "", "without the network", &s.offline},
          {"--frozen", "", "both", &s.frozen}};
}

std::vector<std::string> arguments_of(const Settings& s) {
  std::vector<std::string> words;
  auto add = [&](const char* option, const std::string& value) {
    if (!value.empty()) words.insert(words.end(), {option, value});
  };
  add("--package", s.package);
  add("--manifest-path", s.manifest);
  add("--features", s.features);
  for (const auto& one : s.config) add("--config", one);
  add("--jobs", s.jobs);
  for (auto [option, is_given] : {std::pair("--all-features", s.all_features),
                                  {"--no-default-features", s.no_default_features},
                                  {"--locked", s.locked},
                                  {"--offline", s.offline},
                                  {"--frozen", s.frozen}})
    if (is_given) words.emplace_back(option);
  return words;
}

// Beside what cargo builds otherwise, which stays.
Result<std::string> work_folder(const Settings& s) {
  const char* variable = std::getenv("CARGO_TARGET_DIR");
  auto target = variable && *variable ? fs::path(variable)
                                      : fs::path(TRY(s.cargo.workspace(s.manifest))) / "target";
  std::error_code error;
  auto from_here = target.lexically_proximate(fs::current_path(error)).string();
  auto folder = error || from_here.starts_with("../") ? target.string() : from_here;
  return folder + "/pgokit";
}

// `probes`: also whether rustc takes the plugin, which is tried by compiling a function.
Status find_tools(Settings& s, bool probes) {
  s.cargo.command = TRY(optimize::find_cargo());
  if (!s.o.is_given("--work")) s.o.settings.folder = TRY(work_folder(s));
  auto& rustc = s.cargo.rustc = TRY(optimize::find_rustc());
  if (!probes) return {};
  constexpr char plugin[] = "pgokit-rustc-plugin.so";
  auto folder = library_folder("", plugin);
  if (folder && rustc.adds_probes(*folder / plugin, llvm_of_plugin))
    rustc.plugin = *folder / plugin;
  return {};
}

Status check(Settings& s) {
  if (!s.cargo.bin.empty() && !s.cargo.example.empty())
    return usage_error("--bin and --example exclude each other");
  if (s.cargo.profile.empty()) return usage_error("--profile is the name of a profile of cargo");
  if (s.o.is_given("--by") && s.by != "probes" && s.by != "lines")
    return usage_error("--by {}: it is probes or lines", s.by);
  auto& o = s.o.settings;
  if (s.o.is_given("--run") && measure::command_of(o.run).empty())
    return usage_error("--run is a command");
  if (s.o.is_given("--run") && !s.trailing.empty())
    return usage_error("--run names the whole command: no arguments go with it");
  if (o.goal == Goal::use)
    for (const char* option : {"--measure", "--with", "--sampled", "--runs", "--for"})
      if (s.o.is_given(option))
        return usage_error("{} is of a run that is recorded: give -- ARGS or --run CMD", option);
  if (s.o.is_given("--counted") && !s.o.is_given("--use"))
    return usage_error("--counted is of --use: of other profiles it is known");
  if (o.goal == Goal::measure && s.o.is_given("--use"))
    return usage_error("--use builds with a profile that is there: nothing is recorded for it");
  return {};
}

// Whether a profile that is there counts at probes; not of what is none, of which others tell.
std::optional<bool> counts_at_probes(const std::string& path) {
  auto file = MappedFile::open_regular(path);
  if (!file || !profile::sniff(file->bytes())) return std::nullopt;
  auto read = profile::read_profile(file->bytes());
  if (!read) return std::nullopt;
  return read->profile.flags.probe_based;
}

// By probes, where rustc takes them: they gain more. A profile that is there says which it is by.
Status choose_places(Settings& s) {
  auto& o = s.o.settings;
  const auto& rustc = s.cargo.rustc;
  bool possible = !rustc.plugin.empty();
  auto refuse = [&](std::string_view what, std::string_view next) {
    return fail("{}rustc {} of LLVM {} does not load pgokit's plugin, which is for LLVM {}: {}",
                what, rustc.release, rustc.llvm, llvm_of_plugin, next);
  };
  o.by_probes = s.by.empty() ? possible : s.by == "probes";
  if (o.by_probes && !possible) return refuse("", "--by lines");
  if (o.goal != Goal::use || !s.by.empty()) return {};
  auto path = o.profile.empty() ? o.folder + "/app.prof" : o.profile;
  o.by_probes = counts_at_probes(path).value_or(o.by_probes);
  if (o.by_probes && !possible)
    return refuse(path + ": it counts at probes, and ",
                  "cargo pgokit run --by lines makes another");
  return {};
}

Status go(Settings& s) {
  auto& o = s.o.settings;
  o.cargo.emplace();
  TRY(check(s));
  TRY(find_tools(s, s.by != "lines"));
  TRY(choose_places(s));
  const auto& rustc = s.cargo.rustc;
  TRY(s.o.check());
  s.cargo.arguments = arguments_of(s);
  auto& whose = o.goal == Goal::build ? s.cargo.arguments : o.arguments;
  whose.insert(whose.end(), s.trailing.begin(), s.trailing.end());
  o.cargo = s.cargo;
  o.flags_by = optimize::FlagsBy::cargo;
  o.profiling = rustc.profiling();
  if (o.by_probes) o.probes = rustc.probes();
  s.o.print(TRY(s.o.run()));
  return {};
}

struct Verb {
  std::string_view name, summary;
  Goal goal;
};

constexpr Verb build_verb{"build", "build the program so that it can be recorded", Goal::build},
    run_verb{"run", "build it, run it with ARGS, record that, and make its profile", Goal::record},
    optimize_verb{"optimize",
                  "build it with the profile; with -- ARGS: record, build, measure, all in one",
                  Goal::use};

int run_verb_with(const Verb& verb, std::span<char* const> arguments) {
  Settings s;
  auto& o = s.o.settings;
  o.goal = verb.goal;
  auto options = options_of_cargo(s);
  auto add = [&](std::vector<Option> more) {
    options.insert(options.end(), more.begin(), more.end());
  };
  std::string usage = "[options] [-- ARGS]", footer;
  if (verb.goal == Goal::build) {
    usage = "[options] [-- ARGS of cargo build]";
    footer = "example:\n  cargo pgokit build --bin app\n";
  } else {
    add({{"--run", "CMD", "a command that runs the program, instead of ARGS for it", &o.run},
         {"--sampled", "", "record samples: faster than counting every branch", &o.sampled}});
    footer =
        "examples:\n  cargo pgokit run -- train.txt\n  cargo pgokit run --run "
        "'target/pgokit/release/app < train.txt'\n";
  }
  if (verb.goal == Goal::use) {
    add({{"--use", "FILE", "the profile (that of the last run)", &o.profile},
         {"--counted", "",
          "the profile of --use counts whole runs: the rest of the program is cold", &o.counted},
         {"--measure", "CMD", "is measured (what is recorded)", &o.measure},
         {"--with", "LIST", "other builds to try: layout, lines, bolt, instrument", &s.o.with},
         {"-n,--runs", "N", "how often each build is measured", &o.rounds},
         {"--for", "SECONDS", "how long two builds are measured (20)", &o.seconds}});
    footer =
        "examples:\n  cargo pgokit optimize -- train.txt     # all in one\n  cargo pgokit optimize "
        " "
        "               # with the profile of the last 'cargo pgokit run'\n  cargo pgokit optimize "
        "--use app.prof  # with a profile that is kept beside the sources\n";
  }
  add({{"--by", "PLACES",
        "the profile counts at probes (the default, if rustc takes a plugin for them) or at lines",
        &s.by},
       {"-w,--work", "DIR", "where all is kept (target/pgokit)", &o.folder},
       {"--json", "", "print JSON", &s.o.json},
       {"-q,--quiet", "", "do not print the commands that are run", &s.o.quiet}});
  OptionTable table{fmt::format("cargo pgokit {}", verb.name), std::string(verb.summary),
                    std::move(options), footer};
  table.usage = {usage};
  table.trailing = &s.trailing;
  table.given = &s.o.given;
  if (auto exit = parse_options(table, arguments)) return *exit;
  // A program may be run without arguments.
  bool has_run = s.o.is_given("--run") || std::ranges::any_of(arguments, [](const char* word) {
                   return std::string_view(word) == "--";
                 });
  if (verb.goal == Goal::use && has_run) o.goal = Goal::measure;
  auto status = go(s);
  return status ? 0 : report_failure(fmt::format("cargo {}", verb.name), status.error());
}

Status inform(Settings& s, bool json) {
  TRY(find_tools(s, true));
  CargoInfo info{.cargo = s.cargo, .folder = s.o.settings.folder};
  report::print("{}", report::lines(json ? TRY(info.as_json()) : TRY(info.as_text())));
  return {};
}

int run_info(std::span<char* const> arguments) {
  Settings s;
  bool json = false;
  OptionTable table{
      "cargo pgokit info",
      "What cargo, rustc and this machine can do for profiles, and what is there.",
      {{"--manifest-path", "FILE", "Cargo.toml of the package", &s.manifest},
       {"-w,--work", "DIR", "where all is kept (target/pgokit)", &s.o.settings.folder},
       {"--json", "", "print JSON", &json}},
      ""};
  table.given = &s.o.given;
  if (auto exit = parse_options(table, arguments)) return *exit;
  auto status = inform(s, json);
  return status ? 0 : report_failure("cargo info", status.error());
}

template <const Verb& verb>
constexpr Command command_of{verb.name, verb.summary, [](std::span<char* const> arguments) {
                               return run_verb_with(verb, arguments);
                             }};
constexpr Command info_command{"info", "what works here, and what has been recorded", run_info};
constexpr const Command* verbs[] = {&command_of<build_verb>, &command_of<run_verb>,
                                    &command_of<optimize_verb>, &info_command};

void print_usage(std::FILE* out) {
  report::print(out, "cargo pgokit: from a Rust program's run to a faster build of it\n\n");
  report::print(out,
                "usage: cargo pgokit VERB [options]    (cargo pgokit VERB --help tells more)\n\n");
  for (const auto* verb : verbs) report::print(out, "  {:<10}{}\n", verb->name, verb->summary);
}

int run(std::span<char* const> arguments) {
  if (!arguments.empty() && std::string_view(arguments[0]) == "pgokit")
    arguments = arguments.subspan(1);
  if (arguments.empty()) return print_usage(stderr), 2;
  std::string_view name = arguments[0];
  auto rest = arguments.subspan(1);
  if (name == "--help" || name == "-h" || name == "help") return print_usage(stdout), 0;
  for (const auto* verb : verbs)
    if (verb->name == name) return verb->run(rest);
  report::print(stderr, "cargo pgokit: there is no verb '{}': build, run, optimize or info\n",
                name);
  return 2;
}

}  // namespace

constexpr Command cargo_pgokit_command{"cargo-pgokit", "cargo pgokit: optimize programs in Rust",
                                       run, verbs};

}  // namespace pgokit::cli
