#include "bisect/bisect.h"

#include <algorithm>
#include <bit>
#include <filesystem>

#include "base/named_function.h"
#include "base/shell_word.h"
#include "bisect/search.h"
#include "bisect/shortened_profile.h"
#include "bisect/trials.h"
#include "measure/signed_ranks.h"

namespace pgokit::bisect {
namespace {

namespace fs = std::filesystem;
using optimize::FlagsBy;

constexpr char finished[] = "finished";

// Twice the logarithm; few things take no fewer.
u64 most_tests_of(size_t count) {
  return std::max<u64>(2 * static_cast<u64>(std::bit_width(std::max<size_t>(count, 2) - 1)), 6);
}

class Bisection {
 public:
  Bisection(const Settings& settings, const ShortenedProfile& profile,
            const optimize::WorkFolder& work, optimize::Journal& journal,
            const optimize::Toolchain& toolchain)
      : settings_(settings),
        profile_(profile),
        work_(work),
        journal_(journal),
        toolchain_(toolchain),
        trials_(settings, profile, work, journal, toolchain, confidence_of_each()) {}

  Result<Outcome> run() {
    auto least = measure::least_pairs(confidence_of_each());
    if (settings_.rounds < least)
      return usage_error(
          "--runs {}: {} are the fewest by which up to {} builds can be compared: -n {}, or fewer "
          "--builds",
          settings_.rounds, least, most_tests() + 1, least);
    TRY(toolchain_.install(work_));
    base_ = TRY(trials_.build("whole", {}));
    outcome_.program = base_.build.file;
    TRY(settings_.only.empty() ? search_functions() : search_one_function());
    outcome_.functions = profile_.count();
    outcome_.by_probes = profile_.is_by_probes();
    outcome_.builds = 1 + tests_;
    if (!base_.left_out.empty()) {
      outcome_.output = settings_.output.empty() ? work_.file("without.prof") : settings_.output;
      TRY(profile_.write_without(base_.left_out, outcome_.output));
    }
    TRY(journal_.add(finished, "", ""));
    return std::move(outcome_);
  }

 private:
  // Of one search, at most.
  u64 most_tests() const {
    if (settings_.most_builds) return settings_.most_builds - 1;
    u64 of_functions = settings_.only.empty() ? most_tests_of(profile_.count()) - 1 : 0;
    if (settings_.whole_functions) return of_functions;
    return std::max(of_functions, most_tests_of(profile_.most_sites()));
  }
  u64 most_tests(u64 usual) const {
    return settings_.most_builds ? settings_.most_builds - 1 - tests_ : usual;
  }
  double confidence_of_each() const {
    return measure::confidence_of_each(confidence, most_tests() + 1);
  }

  Status search_functions() {
    Search search{.count = profile_.count(),
                  .most_tests = most_tests(most_tests_of(profile_.count()) - 1),
                  .is_better_without = {}};
    search.is_better_without = [&](const Numbers& functions) {
      auto all = joined(base_.left_out, {.functions = functions});
      auto what = fmt::format("{} of {} functions", all.functions.size(), profile_.count());
      return is_faster_without(std::move(all), what);
    };
    search.on_found = [&](const Numbers& functions) -> Status {
      u64 before = tests_;
      TRY(add_culprit(functions));
      if (settings_.most_builds) search.most_tests -= tests_ - before;
      return {};
    };
    auto found = TRY(search.run());
    outcome_.exhausted = found.exhausted;
    for (size_t n : found.unresolved) outcome_.unresolved.push_back(profile_.name(n));
    return {};
  }

  Status search_one_function() {
    std::vector<std::string> texts;
    for (size_t n = 0; n < profile_.count(); ++n) texts.push_back(profile_.name(n));
    std::vector<FunctionNamed> names;
    for (const auto& text : texts) names.push_back({text});
    auto function = TRY_IN(settings_.profile, functions_meant(settings_.only, names)).front();
    Culprit one{.functions = {texts[function]}, .ratio = {}};
    auto whole = base_;
    auto sites = TRY(profile_.sites_of(function));
    auto found = TRY(search_sites(function, sites, nullptr, one));
    outcome_.exhausted = found.exhausted;
    if (one.sites.empty() && one.unresolved_sites == 0) return {};
    TRY(leave_in_the_rest(whole, one));
    outcome_.culprits.push_back(std::move(one));
    return {};
  }

  // What was seen to be faster without it is the last of the faster ones.
  Status add_culprit(const Numbers& functions) {
    Culprit one{.functions = {}, .ratio = faster_ratio_};
    for (size_t n : functions) one.functions.push_back(profile_.name(n));
    auto whole = faster_;
    if (functions.size() == 1 && !settings_.whole_functions)
      TRY(narrow(functions.front(), whole, one));
    if (one.is_whole) base_ = whole;
    outcome_.culprits.push_back(std::move(one));
    return {};
  }

  // Leaves out sites of a function in place of all of it, where that is as good. `whole`: without
  // all of it.
  Status narrow(size_t function, const Trial& whole, Culprit& one) {
    auto sites = TRY(profile_.sites_of(function));
    if (sites.size() < 2) return {};
    auto with_it = base_;
    TRY(search_sites(function, sites, &whole, one));
    if (one.sites.empty()) return {};
    auto rest = TRY(trials_.compare(base_, whole));
    if (trials_.is_faster(rest)) return {};
    one.unresolved_sites = 0;
    return leave_in_the_rest(with_it, one);
  }

  // `before`: with all sites of the function.
  Status leave_in_the_rest(const Trial& before, Culprit& one) {
    one.is_whole = false;
    if (one.sites.size() == 1)
      one.ratio = one.sites.front().ratio;
    else if (!one.sites.empty())
      one.ratio = TRY(trials_.compare(before, base_));
    return {};
  }

  // `whole`: without all of the function, which is faster for certain; null: that is not known.
  Result<Found> search_sites(size_t function, const std::vector<Site>& sites, const Trial* whole,
                             Culprit& one) {
    Search search{.count = sites.size(),
                  .most_tests = most_tests(most_tests_of(sites.size())),
                  .all_are_known = whole != nullptr,
                  .is_better_without = {}};
    search.is_better_without = [&](const Numbers& numbers) {
      auto all = joined(base_.left_out, {.functions = {}, .sites = {{function, numbers}}});
      auto what = fmt::format("{} of {} sites of {}", all.sites[function].size(), sites.size(),
                              profile_.name(function));
      if (whole && all.sites[function].size() == sites.size())
        return is_faster(whole->build.name, *whole);
      return is_faster_without(std::move(all), what);
    };
    search.on_found = [&](const Numbers& numbers) -> Status {
      // A group that is all of them is the function itself.
      if (numbers.size() == sites.size() && whole) return {};
      SiteCulprit culprit{.sites = {}, .ratio = faster_ratio_};
      for (size_t n : numbers) culprit.sites.push_back(sites[n]);
      one.sites.push_back(std::move(culprit));
      base_ = faster_;
      return {};
    };
    auto found = TRY(search.run());
    one.unresolved_sites = found.unresolved.size();
    return found;
  }

  Result<bool> is_faster_without(LeftOut left_out, const std::string& what) {
    auto name = fmt::format("without-{}", ++tests_);
    settings_.say(fmt::format("# {}: without {}", name, what));
    bool is_all = left_out.functions.size() == profile_.count();
    auto trial = TRY(trials_.build(name, std::move(left_out)));
    if (is_all && base_.left_out.empty() && TRY(optimize::are_same(base_.build, trial.build)))
      return fail(
          "{}: {} is the same without all of it: the compiler used nothing of it: if it is of "
          "another program or library of the build, name that by --program; else 'pgokit explain "
          "{} -b {}' tells why",
          settings_.profile, settings_.program, shell_word(settings_.profile),
          shell_word(base_.build.file));
    return is_faster(name, std::move(trial));
  }

  Result<bool> is_faster(const std::string& name, Trial trial) {
    auto ratio = TRY(trials_.compare(base_, trial));
    bool faster = trials_.is_faster(ratio);
    settings_.say(fmt::format("# {}: {:.1f} % of the time, {:.1f} to {:.1f} %: {}", name,
                              100 * ratio.value, 100 * ratio.low, 100 * ratio.high,
                              faster ? "faster" : "not faster"));
    if (faster) faster_ = std::move(trial), faster_ratio_ = ratio;
    return faster;
  }

  const Settings& settings_;
  const ShortenedProfile& profile_;
  const optimize::WorkFolder& work_;
  optimize::Journal& journal_;
  const optimize::Toolchain& toolchain_;
  Trials trials_;
  Trial base_;  // without what was found
  Trial faster_;
  measure::Ratio faster_ratio_;
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
  measure::SignalHold hold;
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
  auto outcome = Bisection(settings, profile, work, *journal, toolchain).run();
  if (!outcome) return std::unexpected(optimize::to_go_on(std::move(outcome).error()));
  return outcome;
}

}  // namespace pgokit::bisect
