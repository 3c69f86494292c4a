#include "cli/views/measurement.h"

#include <algorithm>
#include <cmath>

#include "measure/signed_ranks.h"
#include "report/json.h"
#include "report/numbers.h"
#include "report/print.h"

namespace pgokit::cli {
namespace {

using measure::Figure;
using measure::Ratio;
using report::Json;

struct FigureName {
  Figure figure;
  const char *name, *key;  // of JSON
};
constexpr FigureName figure_names[] = {{Figure::cpu_time, "CPU time", "cpu_s"},
                                       {Figure::wall_time, "elapsed", "wall_s"},
                                       {Figure::instructions, "instructions", "instructions"},
                                       {Figure::branch_misses, "branch misses", "branch_misses"},
                                       {Figure::page_faults, "page faults", "page_faults"},
                                       {Figure::peak_memory, "peak memory", "peak_memory"}};

const char* name_of(Figure figure) {
  return std::ranges::find(figure_names, figure, &FigureName::figure)->name;
}

std::string in_units(Figure figure, double value) {
  switch (figure) {
    case Figure::cpu_time:
    case Figure::wall_time:
      if (value < 1e-3) return fmt::format("{:.0f} us", value * 1e6);
      if (value < 1) return fmt::format("{:.{}f} ms", value * 1e3, value < 0.1 ? 2 : 1);
      return fmt::format("{:.{}f} s", value, value < 100 ? 3 : 1);
    case Figure::peak_memory:
      return report::file_size(static_cast<u64>(value));
    case Figure::page_faults:
    case Figure::instructions:
    case Figure::branch_misses:
      break;
  }
  return report::grouped(static_cast<u64>(std::llround(value)));
}

// As many decimals as the interval can be told apart by.
int decimals_of(const Ratio& ratio) { return ratio.high - ratio.low < 0.002 ? 2 : 1; }

Json ratio_json(const Ratio& ratio) {
  return std::move(
      Json::object().set("ratio", ratio.value).set("low", ratio.low).set("high", ratio.high));
}

}  // namespace

std::optional<Ratio> MeasuredCommands::ratio(size_t command, Figure figure) const {
  return compare(measurement, figure, 0, command,
                 measure::confidence_of_each(confidence, plan.commands.size()));
}

std::string MeasuredCommands::name(size_t command) const {
  if (!plan.names.empty()) return plan.names[command];
  return command < 26 ? std::string(1, static_cast<char>('A' + command))
                      : fmt::format("{}", command + 1);
}

std::string MeasuredCommands::verdict(size_t command) const {
  auto found = ratio(command, by);
  auto name = this->name(command), base = this->name(0);
  auto behind = fmt::format("({}, {:g} %)", name_of(by), 100 * confidence);
  if (!found) return fmt::format("{}: too few rounds to compare it with {}", name, base);
  if (!found->differs()) {
    auto rounds = measurement.runs[command].size();
    auto bound =
        report::as_percent(found->largest_change(), found->largest_change() < 0.01 ? 2 : 1);
    return fmt::format(
        "{}: no difference from {} larger than {} could be seen {}; about {} more rounds would "
        "tell one of half that",
        name, base, bound, behind, report::grouped(3 * rounds));
  }
  bool faster = found->high < 1;
  int decimals = decimals_of(*found);
  auto change = [&](double value) { return 100 * std::abs(1 - value); };
  auto [least, most] = std::minmax(change(found->low), change(found->high));
  return fmt::format("{} is {:.{}f} % {} than {}, {:.{}f} to {:.{}f} % {}", name,
                     change(found->value), decimals, faster ? "faster" : "slower", base, least,
                     decimals, most, decimals, behind);
}

std::vector<std::string> MeasuredCommands::notes() const {
  // A run that is a little longer than usual is no news.
  constexpr double long_run = 1.25, short_run = 0.8, many_runs = 0.1;
  constexpr double busy = 0.1, stolen = 0.02;
  std::vector<std::string> notes;
  for (size_t i = 0; i < plan.commands.size(); ++i) {
    auto values = values_of(measurement.runs[i], by);
    auto outliers = measure::outliers_of(values);
    auto are_many = [&](u64 count) {
      return count > 1 &&
             static_cast<double>(count) >= many_runs * static_cast<double>(values.size());
    };
    if (outliers.most >= long_run || are_many(outliers.count))
      notes.push_back(fmt::format(
          "{} of {} runs of {} took up to {:.2f} times the median: something else ran, or the "
          "program varies",
          outliers.count, values.size(), name(i), outliers.most));
    if (outliers.least <= short_run || are_many(outliers.short_count))
      notes.push_back(fmt::format(
          "{} of {} runs of {} took less, down to {:.2f} times the median: the machine's speed "
          "varies, or the program's work",
          outliers.short_count, values.size(), name(i), outliers.least));
    double cpu_s = measure::median_of(values_of(measurement.runs[i], Figure::cpu_time));
    if (cpu_s < measure::shortest_s)
      notes.push_back(fmt::format("{} takes {}: most of it may be the start of the process",
                                  name(i), in_units(Figure::cpu_time, cpu_s)));
  }
  for (size_t i = 1; i < plan.commands.size(); ++i)
    if (differs_from_medians(i))
      notes.push_back(fmt::format(
          "{} is compared round by round, which tells another than the medians of all", name(i)));
  const auto& load = measurement.load;
  if (load.others >= busy)
    notes.push_back(
        fmt::format("other programs kept {:.1f} of {} busy: on an idle machine fewer rounds tell "
                    "more",
                    load.others, report::counted(load.processors, "processor")));
  if (load.stolen >= stolen)
    notes.push_back(fmt::format("the host took {:.2f} of {} for other machines", load.stolen,
                                report::counted(load.processors, "processor")));
  return notes;
}

// The machine's speed is in the medians, which are of all rounds, and not in the ratios of each.
bool MeasuredCommands::differs_from_medians(size_t command) const {
  auto found = ratio(command, by);
  auto median = [&](size_t i) { return measure::median_of(values_of(measurement.runs[i], by)); };
  if (!found || median(0) <= 0) return false;
  constexpr double noticeable = 0.005;
  double of_rounds = found->value - 1, of_medians = median(command) / median(0) - 1;
  return std::min(std::abs(of_rounds), std::abs(of_medians)) >= noticeable &&
         (of_rounds < 0) != (of_medians < 0);
}

std::string MeasuredCommands::as_text() const {
  size_t width = 4;
  for (const auto& given : plan.names) width = std::max(width, given.size() + 3);
  std::string text = fmt::format("{:{}}{:21}{:21}{}\n", "", width, name_of(Figure::cpu_time),
                                 name_of(Figure::wall_time), name_of(Figure::peak_memory));
  auto cell = [&](size_t i, Figure figure, bool spread) {
    auto values = values_of(measurement.runs[i], figure);
    auto shown = in_units(figure, measure::median_of(values));
    if (!spread) return shown;
    return fmt::format("{} ± {:.1f} %", shown, 100 * measure::spread_of(values));
  };
  for (size_t i = 0; i < plan.commands.size(); ++i)
    text += report::format("{:{}}{:21}{:21}{:14}{}\n", name(i), width,
                           cell(i, Figure::cpu_time, true), cell(i, Figure::wall_time, true),
                           cell(i, Figure::peak_memory, false), plan.commands[i]);
  for (size_t i = 1; i < plan.commands.size(); ++i) {
    text += fmt::format("\n{} compared with {}\n", name(i), name(0));
    for (const auto& [figure, name, key] : figure_names) {
      auto found = ratio(i, figure);
      if (!found) continue;
      int decimals = decimals_of(*found);
      auto change = [&](double value) { return report::percent_change(value - 1, decimals); };
      text += fmt::format("    {:15}{:>10}   {} to {}\n", name, change(found->value),
                          change(found->low), change(found->high));
    }
  }
  text += fmt::format("\n{} in {:.0f} s\n", report::counted(measurement.runs[0].size(), "round"),
                      measurement.elapsed_s);
  for (const auto& note : notes()) text += fmt::format("note: {}\n", note);
  for (size_t i = 1; i < plan.commands.size(); ++i) text += verdict(i) + "\n";
  return text;
}

Json MeasuredCommands::json() const {
  Json commands = Json::array();
  for (size_t i = 0; i < plan.commands.size(); ++i) {
    Json one = Json::object(), figures = Json::object(), runs = Json::array();
    for (const auto& [figure, name, key] : figure_names) {
      auto values = values_of(measurement.runs[i], figure);
      if (values.empty()) continue;
      figures.set(key, std::move(Json::object()
                                     .set("median", measure::median_of(values))
                                     .set("spread", measure::spread_of(values))
                                     .set("outliers", measure::outliers_of(values).count)));
    }
    for (const auto& run : measurement.runs[i]) {
      Json of_run = Json::object();
      for (const auto& [figure, name, key] : figure_names)
        if (auto value = value_of(run, figure)) of_run.set(key, *value);
      of_run.set("user_s", run.user_s).set("system_s", run.system_s);
      of_run.set("exit_code", run.exit_code).set("signal", run.signal);
      runs.push(std::move(of_run));
    }
    one.set("name", name(i)).set("command", plan.commands[i]);
    one.set("figures", std::move(figures)).set("runs", std::move(runs));
    commands.push(std::move(one));
  }
  Json comparisons = Json::array();
  for (size_t i = 1; i < plan.commands.size(); ++i) {
    Json one = Json::object(), figures = Json::object();
    for (const auto& [figure, name, key] : figure_names)
      if (auto found = ratio(i, figure)) figures.set(key, ratio_json(*found));
    one.set("name", name(i)).set("base", name(0)).set("figures", std::move(figures));
    one.set("verdict", verdict(i));
    comparisons.push(std::move(one));
  }
  Json noted = Json::array();
  for (const auto& note : notes()) noted.push(note);
  Json json = Json::object();
  json.set("rounds", measurement.runs[0].size())
      .set("elapsed_s", measurement.elapsed_s)
      .set("by", std::ranges::find(figure_names, by, &FigureName::figure)->key)
      .set("confidence", confidence)
      .set("commands", std::move(commands))
      .set("comparisons", std::move(comparisons))
      .set("processors", measurement.load.processors)
      .set("busy_processors", measurement.load.others)
      .set("stolen_processors", measurement.load.stolen)
      .set("notes", std::move(noted));
  return json;
}

std::string MeasuredCommands::as_json() const { return json().text() + "\n"; }

}  // namespace pgokit::cli
