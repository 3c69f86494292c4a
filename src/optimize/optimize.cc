#include "optimize/optimize.h"

#include <filesystem>
#include <utility>

#include "base/shell_word.h"
#include "optimize/builder.h"
#include "optimize/built_program.h"
#include "optimize/journal.h"

namespace pgokit::optimize {
namespace {

namespace fs = std::filesystem;

constexpr char finished[] = "finished";

void add(std::vector<std::string>& words, const std::vector<std::string>& more) {
  words.insert(words.end(), more.begin(), more.end());
}

class Optimizer {
 public:
  Optimizer(const Settings& settings, WorkFolder work, Journal journal, Toolchain toolchain)
      : settings_(settings),
        work_(std::move(work)),
        journal_(std::move(journal)),
        toolchain_(std::move(toolchain)),
        builder_(settings, work_, toolchain_, "plain") {}

  // The list of steps.
  Result<Outcome> run() {
    TRY(toolchain_.install(work_));
    Build plain{.name = "plain", .options = {.compile = settings_.profiling}};
    TRY(build_to_record(plain, "app.perf"));
    outcome_.builds.push_back(plain);
    TRY(make_profile(plain, "app.perf", "app.prof"));

    auto options = with_profile(plain.options, "app.prof");
    TRY(add_build({.name = "profile", .options = options, .profile = work_.file("app.prof")}));
    for (const auto& name : settings_.with) TRY(add_variant(name));

    TRY(measure());
    TRY(write_report());
    TRY(journal_.add(finished, "", ""));
    outcome_.program = builder_.program;
    return std::move(outcome_);
  }

 private:
  // Runs what it is given unless it was done before in the same words.
  template <class Do>
  Result<std::string> step(const std::string& name, const std::string& words, Do do_it) {
    if (auto result = journal_.done(name, words)) {
      settings_.say(fmt::format("# {}: done before", name));
      return *result;
    }
    settings_.say("# " + name);
    auto result = TRY(do_it());
    TRY(journal_.add(name, words, result));
    return result;
  }

  // The first of them tells which program it is.
  Status build_to_record(Build& build, const std::string& recording) {
    bool known = !builder_.program.empty();
    TRY(step("build " + build.name, builder_.words(build), [&]() -> Result<std::string> {
      TRY(builder_.make(build));
      return "";
    }));
    auto words = fmt::format("{}\n{}\n{}", settings_.run, settings_.program, settings_.sampled);
    builder_.program = TRY(step("record " + build.name, words, [&]() -> Result<std::string> {
      TRY(record(recording));
      auto program = builder_.program;
      if (!known)
        program = TRY(built_program(work_.file(recording), work_.file(build.name + "/compile"),
                                    settings_.build));
      std::swap(program, builder_.program);
      TRY(builder_.keep(build));
      TRY(check_program(build.file));
      return builder_.program;
    }));
    build.file = work_.file(
        fmt::format("{}/{}", build.name, fs::path(builder_.program).filename().string()));
    return {};
  }

  Status record(const std::string& recording) {
    std::error_code error;
    auto file = work_.file(recording), log = recording + ".log";
    auto command = joined(measure::command_of(settings_.run));
    for (bool exact : {true, false}) {
      if (exact && settings_.sampled) continue;
      fs::remove(file, error);
      auto recorder = work_.pgokit(fmt::format("record{} -q -o {} -- {}", exact ? " --exact" : "",
                                               shell_word(file), command),
                                   log);
      auto run = TRY(work_.try_to_run(recorder));
      if (!run.failed()) return {};
      bool ran = fs::exists(file, error);
      if (ran || !exact) return std::unexpected(work_.failure(recorder, run));
      settings_.say("# not every branch of it can be counted: samples instead");
    }
    return {};
  }

  Status make_profile(const Build& build, const std::string& recording,
                      const std::string& profile) {
    return make_file(profile,
                     fmt::format("generate {} -b {} -o {}", shell_word(work_.file(recording)),
                                 shell_word(build.file), shell_word(work_.file(profile))));
  }

  Status make_file(const std::string& file, const std::string& arguments) {
    TRY(step("make " + file, arguments, [&]() -> Result<std::string> {
      TRY(work_.run(work_.pgokit(arguments, file + ".log")));
      return "";
    }));
    return {};
  }

  Options with_profile(Options options, const std::string& profile) const {
    options.compile.push_back("-fprofile-sample-use=" + work_.absolute(profile));
    return options;
  }

  Status add_build(Build build) {
    const auto& plain = outcome_.builds.front();
    TRY(step("build " + build.name, builder_.words(build), [&]() -> Result<std::string> {
      TRY(builder_.make(build));
      TRY(builder_.keep(build));
      if (TRY(are_same(build, plain))) return std::unexpected(builder_.same_program());
      return "";
    }));
    build.file =
        work_.file(fmt::format("{}/{}", build.name, fs::path(plain.file).filename().string()));
    outcome_.builds.push_back(std::move(build));
    return {};
  }

  Status add_variant(const std::string& name) {
    if (name == "layout") return add_layout();
    if (name == "probes") return add_probes();
    return {};
  }

  // The functions of the build with the profile, in an order made of the calls that were recorded.
  Status add_layout() {
    const auto &plain = outcome_.builds[0], &base = outcome_.builds[1];
    TRY(make_file("app.order",
                  fmt::format("order {} -b {} --link {} -o {}", shell_word(work_.file("app.perf")),
                              shell_word(plain.file), shell_word(base.file),
                              shell_word(work_.file("app.order")))));
    auto build = Build{.name = "layout", .options = base.options, .profile = base.profile};
    add(build.options.compile, {"-ffunction-sections"});
    add(build.options.link,
        {"-fuse-ld=lld", "-Wl,--symbol-ordering-file=" + work_.absolute("app.order"),
         "-Wl,--no-warn-symbol-ordering"});
    return add_build(std::move(build));
  }

  Status add_probes() {
    Build recorded{.name = "recorded", .options = {.compile = settings_.profiling}};
    add(recorded.options.compile, settings_.probes);
    TRY(build_to_record(recorded, "probes.perf"));
    TRY(make_profile(recorded, "probes.perf", "probes.prof"));
    return add_build({.name = "probes",
                      .options = with_profile(recorded.options, "probes.prof"),
                      .profile = work_.file("probes.prof")});
  }

  Status measure() {
    const auto& command = settings_.measure.empty() ? settings_.run : settings_.measure;
    auto& plan = outcome_.plan;
    for (const auto& build : outcome_.builds)
      plan.commands.push_back(placed_run(build.file, builder_.program, command));
    plan.rounds = settings_.rounds;
    plan.seconds = settings_.seconds * static_cast<double>(plan.commands.size()) / 2;
    plan.progress = settings_.progress;
    settings_.say("# measure");
    settings_.say("$ pgokit measure -- " + joined(plan.commands));
    outcome_.measurement = TRY(measure::measure(plan));
    double best = 1;
    for (size_t i = 1; i < plan.commands.size(); ++i) {
      auto ratio = compare(outcome_.measurement, measure::Figure::cpu_time, 0, i,
                           measure::confidence_of_each(confidence, plan.commands.size()));
      if (ratio && ratio->high < 1 && ratio->value < best) best = ratio->value, outcome_.kept = i;
    }
    const auto& kept = outcome_.builds[outcome_.kept].file;
    settings_.say(fmt::format("$ cp -f {} {}", shell_word(kept), shell_word(builder_.program)));
    return work_.put_back(fs::path(kept).lexically_relative(work_.path()).string(),
                          builder_.program);
  }

  // What was gained does not depend on it: an error is only said.
  Status write_report() {
    if (!settings_.as_json) return {};
    TRY(work_.write("measurement.json", settings_.as_json(outcome_.plan, outcome_.measurement)));
    settings_.say("# write report.html");
    auto command = work_.pgokit(
        fmt::format("report {} -b {} --measurement {} -o {}", shell_word(work_.file("app.perf")),
                    shell_word(outcome_.builds[0].file), shell_word(work_.file("measurement.json")),
                    shell_word(work_.file("report.html"))),
        "report.log");
    auto run = TRY(work_.try_to_run(command));
    if (run.failed())
      settings_.say("# no report: " + work_.failure(command, run).message);
    else
      outcome_.report = work_.file("report.html");
    return {};
  }

  const Settings& settings_;
  WorkFolder work_;
  Journal journal_;
  Toolchain toolchain_;
  Builder builder_;
  Outcome outcome_;
};

}  // namespace

const std::vector<Variant> variants = {
    {"layout", "functions in the order of their calls (lld)"},
    {"probes", "a profile by pseudo probes, recorded in a build of its own"},
};

Result<Outcome> optimize(const Settings& settings) {
  auto toolchain = TRY(Toolchain::find(settings.flags_by));
  auto work = TRY(WorkFolder::open(settings.folder, settings.say));
  auto path = work.file("journal");
  // What it says does not matter then.
  std::error_code error;
  if (settings.restart) fs::remove(path, error);
  auto journal = Journal::read(path);
  if (!journal)
    return fail("{}; --restart begins from the start", std::move(journal).error().message);
  if (journal->has(finished)) journal->clear();
  if (!journal->empty())
    settings.say(
        fmt::format("# going on where it stopped ({}; --restart begins from the start)", path));
  return Optimizer(settings, std::move(work), std::move(*journal), std::move(toolchain)).run();
}

}  // namespace pgokit::optimize
