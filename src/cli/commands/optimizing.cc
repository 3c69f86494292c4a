#include "cli/commands/optimizing.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/progress.h"
#include "cli/views/measurement.h"
#include "cli/views/optimization.h"
#include "measure/signed_ranks.h"
#include "report/print.h"

namespace pgokit::cli {
namespace {

bool is_there(const optimize::Variant& variant, const optimize::Settings& settings) {
  return variant.of_rust || !settings.cargo;
}

Status set_variants(std::string_view list, optimize::Settings& settings) {
  const auto& all = optimize::variants();
  while (!list.empty()) {
    auto name = list.substr(0, list.find(','));
    list.remove_prefix(std::min(list.size(), name.size() + 1));
    auto found = std::ranges::find(all, name, &optimize::Variant::name);
    if (found == all.end() || !is_there(*found, settings)) {
      std::string names;
      for (const auto& variant : all)
        if (is_there(variant, settings))
          names += (names.empty() ? "" : ", ") + std::string(variant.name);
      return usage_error("--with {}: there are {}", name, names);
    }
    if (std::ranges::count(settings.with, name) == 0) settings.with.emplace_back(name);
  }
  return {};
}

}  // namespace

bool Optimizing::is_given(std::string_view option) const {
  return std::ranges::count(given, option) > 0;
}

Status Optimizing::check() {
  if (settings.folder.empty()) return usage_error("--work is a folder");
  TRY(set_variants(with, settings));
  if (!settings.by_probes && std::ranges::count(settings.with, "lines") > 0)
    return usage_error("--with lines: --by lines makes no other profile");
  if (is_given("--runs") && is_given("--for"))
    return usage_error("--runs and --for exclude each other");
  size_t builds = 2 + settings.with.size();
  auto least = measure::least_pairs(measure::confidence_of_each(optimize::confidence, builds));
  if (is_given("--runs") && (settings.rounds < least || settings.rounds > measure::most_pairs))
    return usage_error("--runs {}: to compare {} builds give at least {}, and at most {}",
                       settings.rounds, builds, least, measure::most_pairs);
  if (!std::isfinite(settings.seconds) || settings.seconds <= 0)
    return usage_error("--for is a number of seconds");
  return {};
}

Result<optimize::Outcome> Optimizing::run() {
  std::optional<Progress> progress;
  settings.say = [&](const std::string& line) {
    progress.reset();
    if (line.starts_with("$ ")) commands.push_back(line.substr(2));
    if (!quiet) report::print(stderr, "{}\n", report::lines(printable(line)));
  };
  settings.progress = [&](const measure::Step& step) {
    if (quiet) return;
    if (!progress) progress.emplace("measuring", 0);
    progress->show(report::format("{}", as_text(step)));
  };
  settings.as_json = [](const measure::Plan& plan, const measure::Measurement& measurement) {
    return MeasuredCommands{
        .plan = plan, .measurement = measurement, .confidence = optimize::confidence}
        .as_json();
  };
  return optimize::optimize(settings);
}

void Optimizing::print(const optimize::Outcome& outcome) const {
  Optimization view{.settings = settings, .outcome = outcome, .commands = commands};
  report::print("{}", report::lines(json ? view.as_json() : view.as_text()));
}

}  // namespace pgokit::cli
