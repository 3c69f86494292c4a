#include "bisect/trials.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "base/shell_word.h"
#include "compilers/flags.h"

namespace pgokit::bisect {
namespace {

namespace fs = std::filesystem;
using optimize::Build;
using optimize::FlagsBy;

constexpr char placeholder[] = "{profile}", variable[] = "PGOKIT_PROFILE",
               candidate[] = "candidate.prof";

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

// "0-31 64, 70: 1 5"
std::string words_of(const LeftOut& left_out) {
  auto text = ranges_of(left_out.functions);
  for (const auto& [function, sites] : left_out.sites)
    text += fmt::format(", {}: {}", function, ranges_of(sites));
  return text;
}

Numbers joined_numbers(const Numbers& a, const Numbers& b) {
  Numbers all;
  std::ranges::set_union(a, b, std::back_inserter(all));
  return all;
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

optimize::Settings commands_for(const Settings& settings, const optimize::WorkFolder& work,
                                const optimize::Toolchain& toolchain) {
  optimize::Settings commands;
  auto path = work.absolute(candidate);
  commands.build = with_profile(settings.build, path);
  commands.clean = settings.clean;
  commands.program = settings.program;
  commands.can_choose_flags = false;
  commands.flags_by = toolchain.flags_by();
  commands.environment = {{variable, path}};
  return commands;
}

}  // namespace

bool names_profile(const std::string& build) {
  return build.contains(placeholder) || build.contains(variable);
}

LeftOut joined(LeftOut a, const LeftOut& b) {
  a.functions = joined_numbers(a.functions, b.functions);
  for (const auto& [function, sites] : b.sites)
    a.sites[function] = joined_numbers(a.sites[function], sites);
  return a;
}

Trials::Trials(const Settings& settings, const ShortenedProfile& profile,
               const optimize::WorkFolder& work, optimize::Journal& journal,
               const optimize::Toolchain& toolchain, double sureness)
    : settings_(settings),
      profile_(profile),
      work_(work),
      journal_(journal),
      toolchain_(toolchain),
      confidence_(sureness),
      commands_(commands_for(settings, work, toolchain)),
      builder_(commands_, work, toolchain, "whole") {}

Result<Trial> Trials::build(const std::string& name, LeftOut left_out) {
  Build build{.name = name, .options = {}};
  if (toolchain_.flags_by() == FlagsBy::wrapper) {
    build.options.compile = settings_.profiling;
    if (profile_.is_by_probes()) build.options.compile.push_back(settings_.probes);
    build.options.add(compilers::sample_profile_flags({}, {}, work_.absolute(candidate)));
  }
  auto words =
      fmt::format("{}\n{}\n{}", settings_.profile, builder_.words(build), words_of(left_out));
  if (!journal_.done("build " + name, words)) {
    TRY(profile_.write_without(left_out, work_.file(candidate)));
    TRY(work_.make_folder(name));
    TRY(builder_.make(build));
    TRY(builder_.keep(build));
    TRY(journal_.add("build " + name, words, ""));
  }
  build.file =
      work_.file(fmt::format("{}/{}", name, fs::path(builder_.program).filename().string()));
  return Trial{std::move(left_out), std::move(build)};
}

Result<measure::Ratio> Trials::compare(const Trial& base, const Trial& trial) {
  auto step = fmt::format("measure {} {}", base.build.name, trial.build.name);
  auto words = fmt::format("{}\n{}", settings_.run, settings_.rounds);
  if (auto result = journal_.done(step, words)) return ratio_of(*result);
  auto ratio = TRY(measure(base, trial));
  TRY(journal_.add(step, words, fmt::format("{} {} {}", ratio.value, ratio.low, ratio.high)));
  return ratio;
}

Result<measure::Ratio> Trials::measure(const Trial& base, const Trial& trial) {
  if (TRY(optimize::are_same(base.build, trial.build))) return measure::Ratio{};
  auto plan = optimize::plan_of({base.build, trial.build}, builder_.program, settings_.run);
  plan.rounds = settings_.rounds;
  plan.progress = settings_.progress;
  auto measured = TRY(measure::measure(plan));
  using measure::Figure;
  double cpu_s = measure::median_of(values_of(measured.runs[0], Figure::cpu_time));
  if (cpu_s < measure::shortest_s)
    return fail("{}: a run takes {:.1f} ms, too short to be measured: give it more work",
                settings_.run, cpu_s * 1000);
  auto ratio = measure::compare(measured, Figure::cpu_time, 0, 1, confidence_);
  if (!ratio) return fail("{}: too few rounds to compare its times", settings_.run);
  return *ratio;
}

bool Trials::is_faster(const measure::Ratio& ratio) const {
  return ratio.high < 1 && 100 * (1 - ratio.value) >= settings_.least_change;
}

}  // namespace pgokit::bisect
