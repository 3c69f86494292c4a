#include "bisect/bisect.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <filesystem>

#include "base/file.h"
#include "base/shell_word.h"
#include "bisect/search.h"
#include "bisect/shortened_profile.h"
#include "measure/signed_ranks.h"
#include "optimize/builder.h"
#include "optimize/journal.h"

namespace pgokit::bisect {
namespace {

namespace fs = std::filesystem;
using optimize::Build;
using optimize::FlagsBy;

constexpr char placeholder[] = "{profile}", variable[] = "PGOKIT_PROFILE", finished[] = "finished",
               candidate[] = "candidate.prof", first_build[] = "whole";
constexpr double shortest_s = 0.005;

bool names_profile(const std::string& build) {
  return build.contains(placeholder) || build.contains(variable);
}

std::string with_profile(std::string build, const std::string& path) {
  auto word = shell_word(path);
  for (size_t at = 0; (at = build.find(placeholder, at)) != build.npos; at += word.size())
    build.replace(at, std::string_view(placeholder).size(), word);
  return build;
}

// "0-31 64"
std::string ranges_of(const Numbers& numbers) {
  std::string text;
  for (size_t i = 0; i < numbers.size();) {
    size_t end = i + 1;
    while (end < numbers.size() && numbers[end] == numbers[end - 1] + 1) ++end;
    text += fmt::format("{}{}", text.empty() ? "" : " ", numbers[i]);
    if (end > i + 1) text += fmt::format("-{}", numbers[end - 1]);
    i = end;
  }
  return text;
}

Numbers joined(const Numbers& a, const Numbers& b) {
  Numbers all;
  std::ranges::set_union(a, b, std::back_inserter(all));
  return all;
}

std::string as_result(const measure::Ratio& ratio) {
  return fmt::format("{} {} {}", ratio.value, ratio.low, ratio.high);
}

Result<measure::Ratio> ratio_of(const std::string& text) {
  measure::Ratio ratio;
  const char* at = text.c_str();
  for (double* value : {&ratio.value, &ratio.low, &ratio.high}) {
    char* end = nullptr;
    *value = std::strtod(at, &end);
    if (end == at) return fail("'{}' in the journal is no ratio; --restart begins anew", text);
    at = end;
  }
  return ratio;
}

class Bisection {
 public:
  Bisection(const Settings& settings, ShortenedProfile profile, optimize::WorkFolder work,
            optimize::Journal journal, optimize::Toolchain toolchain)
      : settings_(settings),
        profile_(std::move(profile)),
        work_(std::move(work)),
        journal_(std::move(journal)),
        toolchain_(std::move(toolchain)),
        commands_(commands_for(settings, work_, toolchain_)),
        builder_(commands_, work_, toolchain_, first_build) {}

  Result<Outcome> run() {
    auto least = measure::least_pairs(confidence_of_each());
    if (settings_.rounds < least)
      return usage_error("--runs {}: {} are the fewest by which up to {} builds can be compared",
                         settings_.rounds, least, most_tests() + 1);
    TRY(toolchain_.install(work_));
    base_ = TRY(build(first_build, {}));
    Search search{.count = profile_.count(), .most_tests = most_tests(), .is_better_without = {}};
    search.is_better_without = [&](const Numbers& left_out) { return is_faster_without(left_out); };
    search.on_found = [&](const Numbers& culprit) { return take_out(culprit); };
    auto found = TRY(search.run());
    outcome_.functions = profile_.count();
    outcome_.builds = 1 + tests_;
    outcome_.exhausted = found.exhausted;
    for (size_t n : found.unresolved) outcome_.unresolved.push_back(profile_.name(n));
    if (!gone_.empty()) {
      outcome_.output = settings_.output.empty() ? work_.file("without.prof") : settings_.output;
      TRY(profile_.write_without(gone_, outcome_.output));
    }
    TRY(journal_.add(finished, "", ""));
    return std::move(outcome_);
  }

 private:
  struct Tested {
    Numbers left_out;
    Build build;
    measure::Ratio ratio;
  };

  static optimize::Settings commands_for(const Settings& settings, const optimize::WorkFolder& work,
                                         const optimize::Toolchain& toolchain) {
    optimize::Settings commands;
    auto path = work.absolute(candidate);
    commands.build = with_profile(settings.build, path);
    commands.clean = settings.clean;
    commands.program = settings.program;
    commands.flags_by = toolchain.flags_by();
    commands.environment = {{variable, path}};
    return commands;
  }

  u64 most_tests() const {
    if (settings_.most_builds) return settings_.most_builds - 1;
    auto count = std::max<size_t>(profile_.count(), 2);
    return std::max<u64>(2 * static_cast<u64>(std::bit_width(count - 1)), 6) - 1;
  }

  double confidence_of_each() const {
    return measure::confidence_of_each(confidence, most_tests() + 1);
  }

  Result<Build> build(const std::string& name, const Numbers& left_out) {
    Build build{.name = name, .options = {}};
    if (toolchain_.flags_by() == FlagsBy::wrapper) {
      build.options.compile = settings_.profiling;
      build.options.compile.push_back("-fprofile-sample-use=" + work_.absolute(candidate));
    }
    auto words =
        fmt::format("{}\n{}\n{}", settings_.profile, builder_.words(build), ranges_of(left_out));
    if (!journal_.done("build " + name, words)) {
      TRY(profile_.write_without(left_out, work_.file(candidate)));
      TRY(work_.make_folder(name));
      TRY(builder_.make(build));
      TRY(builder_.keep(build));
      TRY(journal_.add("build " + name, words, ""));
    }
    build.file =
        work_.file(fmt::format("{}/{}", name, fs::path(builder_.program).filename().string()));
    return build;
  }

  Result<bool> is_faster_without(const Numbers& left_out) {
    auto all = joined(gone_, left_out);
    auto name = fmt::format("without-{}", ++tests_);
    settings_.say(
        fmt::format("# {}: without {} of {} functions", name, all.size(), profile_.count()));
    Tested test{left_out, TRY(build(name, all)), {}};
    auto words = fmt::format("{}\n{}", settings_.run, settings_.rounds);
    auto result = journal_.done("measure " + name, words);
    if (!result) {
      result = as_result(TRY(compare(test.build)));
      TRY(journal_.add("measure " + name, words, *result));
    }
    test.ratio = TRY(ratio_of(*result));
    bool faster = test.ratio.high < 1 && 100 * (1 - test.ratio.value) >= settings_.least_change;
    settings_.say(fmt::format("# {}: {:.1f} % of the time, {:.1f} to {:.1f} %: {}", name,
                              100 * test.ratio.value, 100 * test.ratio.low, 100 * test.ratio.high,
                              faster ? "faster" : "not faster"));
    if (faster) faster_ = std::move(test);
    return faster;
  }

  // Of the build to that without what was found before.
  Result<measure::Ratio> compare(const Build& build) {
    if (TRY(optimize::are_same(base_, build))) return measure::Ratio{};
    measure::Plan plan;
    for (const auto& file : {base_.file, build.file})
      plan.commands.push_back(optimize::placed_run(file, builder_.program, settings_.run));
    plan.rounds = settings_.rounds;
    plan.progress = settings_.progress;
    auto measured = TRY(measure::measure(plan));
    using measure::Figure;
    double cpu_s = measure::median_of(values_of(measured.runs[0], Figure::cpu_time));
    if (cpu_s < shortest_s)
      return fail("{}: a run takes {:.1f} ms, too short to be measured: give it more work",
                  settings_.run, cpu_s * 1000);
    auto ratio = measure::compare(measured, Figure::cpu_time, 0, 1, confidence_of_each());
    if (!ratio) return fail("{}: too few rounds to compare its times", settings_.run);
    return *ratio;
  }

  // What was seen to be faster without it is the last of the faster ones.
  Status take_out(const Numbers& culprit) {
    Culprit one;
    for (size_t n : culprit) one.functions.push_back(profile_.name(n));
    one.ratio = faster_.ratio;
    outcome_.culprits.push_back(std::move(one));
    gone_ = joined(gone_, culprit);
    base_ = faster_.build;
    return {};
  }

  const Settings& settings_;
  ShortenedProfile profile_;
  optimize::WorkFolder work_;
  optimize::Journal journal_;
  optimize::Toolchain toolchain_;
  optimize::Settings commands_;  // for the builder
  optimize::Builder builder_;
  Build base_;
  Numbers gone_;  // that were found
  Tested faster_;
  u64 tests_ = 0;
  Outcome outcome_;
};

Result<std::string> program_of(const Settings& settings) {
  if (!settings.program.empty()) return settings.program;
  auto words = measure::command_of(settings.run);
  if (words.front() != "/bin/sh" && words.front().contains('/')) return words.front();
  return usage_error("--program is needed: which file the build makes and '{}' runs", settings.run);
}

}  // namespace

Result<Outcome> bisect(const Settings& given) {
  auto settings = given;
  settings.program = TRY(program_of(given));
  auto profile = TRY(ShortenedProfile::read(settings.profile));
  auto toolchain = TRY(
      optimize::Toolchain::find(names_profile(settings.build) ? FlagsBy::build : FlagsBy::wrapper));
  auto work = TRY(optimize::WorkFolder::open(settings.folder, settings.say));
  auto path = work.file("journal");
  std::error_code error;
  if (settings.restart) fs::remove(path, error);
  auto journal = optimize::Journal::read(path);
  if (!journal)
    return fail("{}; --restart begins from the start", std::move(journal).error().message);
  if (journal->has(finished)) journal->clear();
  return Bisection(settings, std::move(profile), std::move(work), std::move(*journal),
                   std::move(toolchain))
      .run();
}

}  // namespace pgokit::bisect
