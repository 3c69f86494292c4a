#include "optimize/optimize.h"

#include <algorithm>
#include <filesystem>
#include <ranges>
#include <utility>

#include "base/file.h"
#include "base/shell_word.h"
#include "optimize/built_program.h"
#include "optimize/optimizer.h"
#include "optimize/sources.h"
#include "pipeline/consumers.h"
#include "pipeline/inputs.h"

namespace pgokit::optimize {
namespace {

namespace fs = std::filesystem;

constexpr char finished[] = "finished";

// A file that stands beside a recording of all branches.
std::string counted_mark(const std::string& recording) { return recording + ".counted"; }

struct KnownVariant {
  Variant variant;
  Status (Optimizer::*add)();
  std::vector<std::string> tools = {};  // that are not pgokit's, of LLVM or not
  std::string_view package = {};        // Debian's, that has them
};

const std::vector<KnownVariant>& known_variants() {
  static const std::vector<KnownVariant> known = {
      {{"layout", "functions in the order of their calls (lld)", true}, &Optimizer::add_layout},
      {{"propeller",
        "blocks and functions laid out by a recording of the build with the profile (lld)"},
       &Optimizer::add_propeller},
      {{"lines", "a profile by lines, of the same recording", true}, &Optimizer::add_lines},
      {{"inlining", "calls inlined by what that saves beside what it costs, not by size alone"},
       &Optimizer::add_inlining},
      {{"bolt", "the build with the profile, rewritten by llvm-bolt by a recording of its own",
        true},
       &Optimizer::add_bolt,
       {"llvm-bolt", "perf2bolt", "perf"},
       "bolt-22 linux-perf"},
      {{"instrument", "the compiler's own counters (-fprofile-generate) in a build of their own",
        true},
       &Optimizer::add_instrument},
      {{"targets",
        "targets of indirect calls and sizes of copies, counted in a build of their own"},
       &Optimizer::add_targets},
  };
  return known;
}

const KnownVariant* variant_of(const std::string& name) {
  const auto& known = known_variants();
  auto found = std::ranges::find_if(
      known, [&](const KnownVariant& one) { return one.variant.name == name; });
  return found == known.end() ? nullptr : &*found;
}

}  // namespace

// Before anything is built: that takes its time.
Status Optimizer::check_tools() const {
  for (const auto& name : settings_.with) {
    const auto* known = variant_of(name);
    if (!known || (settings_.cargo && !known->variant.of_rust))
      return fail("{}: there is no such build", name);
    for (const auto& tool : known->tools)
      if (toolchain_.tool(tool).empty())
        return fail("{} is not installed: --with {} needs it (Debian's packages {})", tool, name,
                    known->package);
    if (name == "targets") TRY(flags_of_counting("--compile"));
  }
  return {};
}

Result<Outcome> Optimizer::run() {
  TRY(check_tools());
  TRY(toolchain_.install(work_));
  Build plain{.name = "plain", .options = {.compile = settings_.profiling}};
  recorded_ = plain;
  if (settings_.by_probes) {
    recorded_.name = "recorded";
    recorded_.options.compile.push_back(settings_.probes);
  }
  if (settings_.goal == Goal::use) return use();
  if (settings_.goal == Goal::build) {
    TRY(prepare(recorded_));
    TRY(builder_.keep(recorded_));
    return finished_with(recorded_);
  }
  TRY(build_to_record(recorded_, "app.perf", settings_.sampled));
  TRY(make_file("app.prof", generate(recorded_, "app.perf", "app.prof")));
  outcome_.counted = is_counted("app.perf");
  if (settings_.goal == Goal::record) {
    recorded_.profile = work_.file("app.prof");
    return finished_with(recorded_);
  }
  TRY(settings_.by_probes ? add_build(plain) : finish_build(plain));

  auto options = with_profile(recorded_.options, work_.absolute("app.prof"));
  auto telling = TRY(telling_options(recorded_.file));
  TRY(add_build({.name = "profile",
                 .options = options,
                 .profile = work_.file("app.prof"),
                 .telling = telling}));
  for (const auto& name : settings_.with) TRY((this->*variant_of(name)->add)());

  TRY(measure());
  TRY(write_report());
  TRY(journal_.add(finished, "", ""));
  outcome_.program = builder_.program;
  outcome_.ran = run_shares(work_.file("app.perf"), recorded_.file);
  if (!settings_.cargo) outcome_.compiler = toolchain_.c();
  return std::move(outcome_);
}

// cargo builds into a folder of its own.
Error Optimizer::with_what_is_built(Error error) const {
  const auto& last = outcome_.made_last;
  if (!settings_.cargo && journal_.has("build " + last))
    error.message +=
        fmt::format("; what is built now is the build '{}': clean and build for your own", last);
  return error;
}

// A build with a profile that there is, which becomes the program.
Result<Outcome> Optimizer::use() {
  auto profile = settings_.profile.empty() ? work_.file("app.prof") : settings_.profile;
  std::error_code error;
  if (!fs::is_regular_file(profile, error))
    return fail("{}: there is no profile: record one with 'cargo pgokit run -- ARGS'", profile);
  auto file = TRY(MappedFile::open_regular(profile));
  Build build{.name = "profile", .options = recorded_.options, .profile = profile};
  auto path = fs::absolute(profile, error).string();
  if (pipeline::identify(file.bytes()) == &pipeline::inputs::instr_profile) {
    build.options.add(toolchain_.counted(path));
  } else {
    TRY(pipeline::refuse_other_than_profile(profile, file.bytes()));
    if (pipeline::identify(file.bytes()) != &pipeline::inputs::sample_profile)
      return fail("{}: it is no profile, of samples or of counts", profile);
    outcome_.counted = settings_.profile.empty() ? is_counted("app.perf") : settings_.counted;
    build.options = with_profile(build.options, path);
  }
  TRY(add_build(build));
  return finished_with(outcome_.builds[0]);
}

Result<Outcome> Optimizer::finished_with(Build build) {
  build.file = kept_file(build);
  outcome_.program = builder_.program;
  outcome_.builds = {std::move(build)};
  return std::move(outcome_);
}

std::string Optimizer::run_command() const {
  if (!settings_.run.empty() || !settings_.cargo) return settings_.run;
  auto words = settings_.arguments;
  words.insert(words.begin(), builder_.program);
  return shell_line(words);
}

std::string Optimizer::word(const std::string& file) const { return shell_word(work_.file(file)); }

std::string Optimizer::kept_file(const Build& build) const {
  return work_.file(
      fmt::format("{}/{}", build.name, fs::path(builder_.program).filename().string()));
}

Status Optimizer::prepare(Build& build) {
  outcome_.made_last = build.name;
  TRY(step("build " + build.name, builder_.words(build), [&]() -> Result<std::string> {
    TRY(builder_.make(build));
    if (build.name == recorded_.name) TRY(note_sources(work_, build.name));
    return "";
  }));
  return {};
}

Status Optimizer::build_to_record(Build& build, const std::string& recording, bool sampled) {
  TRY(prepare(build));
  bool known = !builder_.program.empty();
  auto words = fmt::format("{}\n{}\n{}", run_command(), settings_.program, sampled);
  builder_.program = TRY(step("record " + build.name, words, [&]() -> Result<std::string> {
    TRY(record(recording, sampled));
    auto program = builder_.program;
    if (!known) program = TRY(choose_program(recording, build));
    std::swap(program, builder_.program);
    TRY(builder_.keep(build));
    TRY(check_program(build.file));
    return builder_.program;
  }));
  build.file = kept_file(build);
  return {};
}

// What ran most of what the build made. What else ran much is said.
Result<std::string> Optimizer::choose_program(const std::string& recording, const Build& build) {
  constexpr double much = 0.1;
  auto built = TRY(
      built_programs(work_.file(recording), work_.file(build.name + "/compile"), settings_.build));
  for (const auto& one : built | std::views::drop(1))
    if (one.share >= much) outcome_.others.emplace_back(one.file, one.share);
  return built[0].file;
}

Status Optimizer::record(const std::string& recording, bool sampled) {
  std::error_code error;
  auto file = work_.file(recording), log = recording + ".log";
  auto command = shell_line(measure::command_of(run_command()));
  for (bool exact : {true, false}) {
    if (exact && sampled) continue;
    fs::remove(file, error);
    auto recorder = work_.pgokit(
        fmt::format("record{} -q -o {} -- {}", exact ? " --exact" : "", shell_word(file), command),
        log);
    auto run = TRY(work_.try_to_run(recorder));
    if (!run.failed()) {
      fs::remove(work_.file(counted_mark(recording)), error);
      return exact ? work_.write(counted_mark(recording), "") : Status{};
    }
    bool ran = fs::exists(file, error);
    bool cannot_run = run.exit_code == 126 || run.exit_code == 127;  // as shells say it
    if (ran && !cannot_run)
      return fail("{}. If that is no failure: --run '... || true'",
                  work_.failure({.text = run_command(), .log = log}, run).message);
    if (ran || cannot_run || !exact) return std::unexpected(work_.failure(recorder, run));
    settings_.say("# not every branch of it can be counted: samples instead");
  }
  return {};
}

bool Optimizer::is_counted(const std::string& recording) const {
  std::error_code error;
  return fs::exists(work_.file(counted_mark(recording)), error);
}

ShellCommand Optimizer::generate(const Build& build, const std::string& recording,
                                 const std::string& file, const std::string& options) const {
  std::string consumer;
  if (const auto& clang = pipeline::consumers::clang;
      settings_.cargo && settings_.cargo->rustc.llvm < clang.newest)
    consumer = fmt::format(" --for {}-{}", clang.name, settings_.cargo->rustc.llvm);
  return work_.pgokit(fmt::format("generate {} -b {}{}{} --note -o {}", word(recording),
                                  shell_word(build.file), options, consumer, word(file)),
                      file + ".log");
}

Status Optimizer::make_file(const std::string& file, const ShellCommand& command) {
  const auto& words = command.shown.empty() ? command.text : command.shown;
  TRY(step("make " + file, words, [&]() -> Result<std::string> {
    TRY(work_.run(command));
    return "";
  }));
  return {};
}

Options Optimizer::with_profile(Options options, const std::string& profile) const {
  options.add(toolchain_.sampled_profile(profile, outcome_.counted));
  return options;
}

Status Optimizer::add_build(Build build) {
  outcome_.made_last = build.name;
  TRY(step("build " + build.name, builder_.words(build), [&]() -> Result<std::string> {
    TRY(builder_.make(build));
    TRY(builder_.keep(build));
    if (!outcome_.builds.empty() && TRY(are_same(build, outcome_.builds[0])))
      return std::unexpected(builder_.same_program());
    return "";
  }));
  return finish_build(std::move(build));
}

// Equal code would be measured as faster or slower by chance alone. (The first build is what all
// are compared with, and one that is no other is an error before.)
Status Optimizer::finish_build(Build build) {
  build.file = kept_file(build);
  for (const auto& before : outcome_.builds | std::views::drop(1))
    if (TRY(have_same_code(build, before))) {
      settings_.say(fmt::format("# {}: the same code as {}, which is measured for both", build.name,
                                before.name));
      return {};
    }
  outcome_.builds.push_back(std::move(build));
  return {};
}

Status Optimizer::measure() {
  const auto command = settings_.measure.empty() ? run_command() : settings_.measure;
  auto& plan = outcome_.plan;
  plan = plan_of(outcome_.builds, builder_.program, command);
  plan.rounds = settings_.rounds;
  plan.seconds = settings_.seconds * static_cast<double>(plan.commands.size()) / 2;
  bool is_told = false;
  plan.progress = [&](const measure::Step& step) {
    if (step.of && !std::exchange(is_told, true))
      settings_.say(fmt::format("# {} rounds of {} builds, about {:.0f} s",
                                step.of / plan.commands.size() - plan.warm_up, plan.commands.size(),
                                step.left_s));
    if (settings_.progress) settings_.progress(step);
  };
  settings_.say("# measure");
  auto how_long =
      plan.rounds ? fmt::format("-n {}", plan.rounds) : fmt::format("--for {:g}", plan.seconds);
  settings_.say("$ " +
                command_of(plan, fmt::format("{} -o {}", how_long, word("measurement.json"))));
  outcome_.measurement =
      TRY_IN(settings_.measure.empty() ? "--run" : "--measure", measure::measure(plan));
  plan.progress = {};
  double best = 1;
  for (size_t i = 1; i < plan.commands.size(); ++i) {
    auto ratio = compare(outcome_.measurement, measure::Figure::cpu_time, 0, i,
                         measure::confidence_of_each(confidence, plan.commands.size()));
    if (ratio && ratio->high < 1 && ratio->value < best) best = ratio->value, outcome_.kept = i;
  }
  const auto& kept = outcome_.builds[outcome_.kept].file;
  settings_.say(fmt::format("$ cp -f {} {}", shell_word(kept), shell_word(builder_.program)));
  return work_.put_back(fs::path(kept).lexically_relative(work_.path()).string(), builder_.program);
}

// What was gained does not depend on it: an error is only said.
Status Optimizer::write_report() {
  if (!settings_.as_json) return {};
  TRY(work_.write("measurement.json", settings_.as_json(outcome_.plan, outcome_.measurement)));
  settings_.say("# write report.html");
  auto command = work_.pgokit(
      fmt::format("report {} -b {} --measurement {} -o {}", shell_word(work_.file("app.perf")),
                  shell_word(recorded_.file), shell_word(work_.file("measurement.json")),
                  shell_word(work_.file("report.html"))),
      "report.log");
  auto run = TRY(work_.try_to_run(command));
  if (run.failed())
    settings_.say("# no report: " + work_.failure(command, run).message);
  else
    outcome_.report = work_.file("report.html");
  return {};
}

const std::vector<Variant>& variants() {
  static const auto list = [] {
    std::vector<Variant> all;
    for (const auto& known : known_variants()) all.push_back(known.variant);
    return all;
  }();
  return list;
}

Result<Outcome> optimize(const Settings& settings) {
  measure::SignalHold hold;
  auto toolchain = settings.cargo ? Toolchain::of_rustc(settings.cargo->rustc)
                                  : TRY(Toolchain::find(settings.flags_by));
  auto work = TRY(WorkFolder::open(settings.folder, settings.say));
  auto path = work.file("journal");
  // What it says does not matter then. Cargo knows by itself what is up to date.
  std::error_code error;
  if (settings.restart || settings.cargo) fs::remove(path, error);
  auto journal = Journal::read(path);
  if (!journal)
    return fail("{}; --restart begins from the start", std::move(journal).error().message);
  if (journal->has(finished)) journal->clear();
  if (!journal->empty()) {
    auto edited = TRY(edited_source(work));
    if (edited.empty()) {
      settings.say(
          fmt::format("# going on where it stopped ({}; --restart begins from the start)", path));
    } else {
      settings.say(
          fmt::format("# {} has been edited since it stopped: beginning from the start", edited));
      journal->clear();
    }
  }
  Optimizer optimizer(settings, std::move(work), std::move(*journal), std::move(toolchain));
  auto outcome = optimizer.run();
  if (outcome) return outcome;
  return std::unexpected(optimizer.with_what_is_built(to_go_on(std::move(outcome).error())));
}

}  // namespace pgokit::optimize
