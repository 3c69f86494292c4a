#include "measure/measurement.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <random>

#include "base/command_output.h"
#include "measure/clock.h"
#include "measure/output_difference.h"
#include "measure/signed_ranks.h"

namespace pgokit::measure {
namespace {

class Session {
 public:
  explicit Session(const Plan& plan)
      : plan_(plan),
        runner_({.hash_output = plan.same_output, .timeout_s = plan.timeout_s}),
        first_(plan.commands.size()) {
    for (const auto& command : plan.commands) commands_.push_back(command_of(command));
    result_.runs.resize(commands_.size());
  }

  Result<Measurement> run() {
    for (u64 n = 0; n < plan_.warm_up; ++n)
      for (size_t i = 0; i < commands_.size(); ++i) TRY(run_one(i));
    auto before = MachineTimes::now();
    own_s_ = 0;
    std::vector<size_t> order(commands_.size());
    std::iota(order.begin(), order.end(), 0);
    for (u64 round = 0; goes_on(round); ++round) {
      std::ranges::shuffle(order, random_);
      for (size_t i : order) {
        result_.runs[i].push_back(TRY(run_one(i)));
        own_s_ += result_.runs[i].back().cpu_s();
      }
      result_.elapsed_s = now_s() - before.elapsed_s;
      ++rounds_;
    }
    result_.load = before.until(MachineTimes::now(), own_s_);
    return std::move(result_);
  }

 private:
  bool goes_on(u64 round) const {
    if (plan_.rounds) return round < plan_.rounds;
    return round < least_rounds || (round < most_rounds && result_.elapsed_s < plan_.seconds);
  }

  void show(size_t i) {
    Step step{.command = plan_.commands[i], .number = ++runs_};
    if (rounds_ > 0) {
      double each_s = result_.elapsed_s / static_cast<double>(rounds_);
      auto rounds = static_cast<double>(plan_.rounds);
      if (!plan_.rounds)
        rounds = std::clamp(std::ceil(plan_.seconds / each_s), double{least_rounds},
                            double{most_rounds});
      step.of = (plan_.warm_up + static_cast<u64>(rounds)) * commands_.size();
      step.left_s = std::max(rounds * each_s - result_.elapsed_s, 0.0);
    }
    plan_.progress(step);
  }

  Result<Run> run_one(size_t i) {
    if (plan_.progress) show(i);
    if (!plan_.prepare.empty()) TRY(prepare(plan_.prepare[plan_.prepare.size() > 1 ? i : 0]));
    const auto& text = plan_.commands[i];
    auto run = TRY_IN(text, runner_.run(commands_[i]));
    if (run.failed() && !plan_.may_fail)
      return fail("{}: {}{}{}", text, run.ending(), last_words(run.errors), plan_.if_it_fails);
    if (plan_.same_output) TRY(check_output(i, run));
    run.output_start.clear();  // there may be many runs
    return run;
  }

  Status prepare(const std::string& command) {
    auto run = TRY_IN(command, Runner({}).run(command_of(command)));
    if (run.failed()) return fail("{}: {}{}", command, run.ending(), last_words(run.errors));
    own_s_ += run.cpu_s();
    return {};
  }

  Status check_output(size_t i, const Run& run) {
    auto is_other = [&](const Run& other) {
      return other.output_hash != run.output_hash || other.exit_code != run.exit_code ||
             other.signal != run.signal;
    };
    auto differs = [&](const Run& other, std::string_view from) {
      if (other.output_hash == run.output_hash)
        return fail("{}: {}, something else than {}", plan_.commands[i], run.ending(), from);
      auto where = first_difference(run.output_start, other.output_start);
      return fail("{}: prints something else than {}: {}", plan_.commands[i], from,
                  where.empty() ? "the beginning is the same" : where);
    };
    if (!first_[i]) first_[i] = run;
    if (is_other(*first_[i])) return differs(*first_[i], "at its first run");
    if (first_[0] && is_other(*first_[0])) return differs(*first_[0], plan_.commands[0]);
    return {};
  }

  const Plan& plan_;
  Runner runner_;
  std::vector<std::vector<std::string>> commands_;
  std::vector<std::optional<Run>> first_;  // of each
  Measurement result_;
  double own_s_ = 0;           // CPU time of what is run here
  u64 runs_ = 0, rounds_ = 0;  // those that took elapsed_s
  std::mt19937_64 random_{
      static_cast<u64>(std::chrono::steady_clock::now().time_since_epoch().count())};
};

double quantile(std::vector<double>& values, double share) {
  double at = share * static_cast<double>(values.size() - 1);
  auto below = static_cast<size_t>(at);
  std::ranges::sort(values);
  double above = values[std::min(below + 1, values.size() - 1)];
  return values[below] + (above - values[below]) * (at - static_cast<double>(below));
}

}  // namespace

std::string as_text(const Step& step) {
  if (!step.of) return fmt::format("run {}: {}", step.number, step.command);
  auto left = std::lround(std::min(step.left_s, 1e9));
  return fmt::format("run {} of {}, {}:{:02} left: {}", step.number, std::max(step.of, step.number),
                     left / 60, left % 60, step.command);
}

Result<Measurement> measure(const Plan& plan) {
  SignalHold hold;
  return Session(plan).run();
}

std::optional<double> value_of(const Run& run, Figure figure) {
  auto counted = [](const std::optional<u64>& count) {
    return count ? std::optional(static_cast<double>(*count)) : std::nullopt;
  };
  switch (figure) {
    case Figure::cpu_time:
      return run.cpu_s();
    case Figure::wall_time:
      return run.wall_s;
    case Figure::peak_memory:
      return static_cast<double>(run.peak_memory);
    case Figure::page_faults:
      return static_cast<double>(run.page_faults);
    case Figure::instructions:
      return counted(run.instructions);
    case Figure::branch_misses:
      return counted(run.branch_misses);
  }
  return {};
}

std::vector<double> values_of(const std::vector<Run>& runs, Figure figure) {
  std::vector<double> values;
  for (const auto& run : runs)
    if (auto value = value_of(run, figure)) values.push_back(*value);
  return values;
}

double median_of(std::vector<double> values) { return values.empty() ? 0 : quantile(values, 0.5); }

double spread_of(std::vector<double> values) {
  double median = median_of(values);
  return median > 0 ? (quantile(values, 0.75) - quantile(values, 0.25)) / 2 / median : 0;
}

Outliers outliers_of(const std::vector<double>& values) {
  constexpr double usual_distances = 5, least_share = 0.02;
  double median = median_of(values);
  std::vector<double> distances;
  for (double value : values) distances.push_back(std::abs(value - median));
  double far = std::max(usual_distances * median_of(distances), least_share * median);
  Outliers outliers;
  for (double value : values) {
    if (median <= 0 || std::abs(value - median) <= far) continue;
    ++(value > median ? outliers.count : outliers.short_count);
    outliers.most = std::max(outliers.most, value / median);
    outliers.least = std::min(outliers.least, value / median);
  }
  return outliers;
}

double confidence_of_each(double confidence, size_t commands) {
  auto comparisons = static_cast<double>(std::max<size_t>(commands, 2) - 1);
  return 1 - (1 - confidence) / comparisons;
}

double Ratio::largest_change() const { return std::max(std::abs(1 - low), std::abs(high - 1)); }

std::optional<Ratio> compare(const Measurement& measurement, Figure figure, size_t base,
                             size_t test, double confidence) {
  std::vector<double> differences;
  const auto &first = measurement.runs[base], &second = measurement.runs[test];
  for (size_t n = 0; n < std::min(first.size(), second.size()); ++n) {
    auto a = value_of(first[n], figure), b = value_of(second[n], figure);
    if (a && b && *a > 0 && *b > 0) differences.push_back(std::log(*b / *a));
  }
  auto shift = shift_of(differences, confidence);
  if (!shift) return std::nullopt;
  return Ratio{std::exp(shift->estimate), std::exp(shift->low), std::exp(shift->high)};
}

}  // namespace pgokit::measure
