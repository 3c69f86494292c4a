#include <algorithm>
#include <cmath>

#include "base/file.h"
#include "base/progress.h"
#include "base/shell_word.h"
#include "cli/commands/commands.h"
#include "cli/options.h"
#include "cli/views/measurement.h"
#include "measure/measurement.h"
#include "measure/signed_ranks.h"
#include "report/numbers.h"
#include "report/print.h"

namespace pgokit::cli {
namespace {

using measure::Figure;

constexpr int below_gain = 3;
constexpr double confidence = 0.95;

struct Settings {
  measure::Plan plan;
  std::string by = "cpu", output;
  double min_gain = 0;  // percent
  bool json = false, quiet = false;
  std::vector<std::string> given;

  bool is_given(std::string_view option) const { return std::ranges::count(given, option) > 0; }
};

Result<Figure> figure_named(const std::string& name) {
  if (name == "cpu") return Figure::cpu_time;
  if (name == "wall") return Figure::wall_time;
  if (name == "instructions") return Figure::instructions;
  return usage_error("--by {}: it is cpu, wall or instructions", name);
}

bool are_words(const std::vector<std::string>& commands) {
  return std::ranges::none_of(commands, [](const auto& one) { return one.contains(' '); });
}

// How the words of one command are given as it.
std::string as_one(const std::vector<std::string>& words) {
  return fmt::format("each is one argument: pgokit measure -- {}",
                     shell_word(fmt::format("{}", fmt::join(words, " "))));
}

Status check(const Settings& s, Figure by) {
  const auto& plan = s.plan;
  if (plan.commands.empty())
    return usage_error("there is no command: pgokit measure -- './app train' './faster train'");
  for (const auto& command : plan.commands) {
    if (measure::command_of(command).empty()) return usage_error("a command is empty");
    if (command.starts_with('-') && !are_words(plan.commands))
      return usage_error("'{}' is no command: options stand before the commands", command);
    if (command.starts_with('-'))
      return usage_error("'{}' is no command: {}", command, as_one(plan.commands));
  }
  if (plan.prepare.size() > 1 && plan.prepare.size() != plan.commands.size())
    return usage_error("--prepare is given once, or once for each of the {}",
                       report::counted(plan.commands.size(), "command"));
  if (!plan.names.empty() && plan.names.size() != plan.commands.size())
    return usage_error("--name is given for each of the {}, or for none",
                       report::counted(plan.commands.size(), "command"));
  if (s.is_given("--runs") && s.is_given("--for"))
    return usage_error("--runs and --for exclude each other");
  if (s.is_given("--runs") && (plan.rounds == 0 || plan.rounds > measure::most_pairs))
    return usage_error("--runs is a number from 1 to {}", measure::most_pairs);
  if (!std::isfinite(plan.seconds) || plan.seconds <= 0)
    return usage_error("--for is a number of seconds");
  if (!std::isfinite(plan.timeout_s) || plan.timeout_s < 0)
    return usage_error("--timeout is a number of seconds");
  size_t commands = plan.commands.size(), least = 1;
  if (commands > 1) least = measure::least_pairs(measure::confidence_of_each(confidence, commands));
  if (plan.rounds && plan.rounds < least)
    return usage_error("--runs {}: {} are the fewest by which {} commands can be compared",
                       plan.rounds, least, plan.commands.size());
  bool wants_gain = s.is_given("--min-gain");
  if (wants_gain && plan.commands.size() < 2)
    return usage_error("--min-gain compares commands, and there is one");
  if (wants_gain && (!std::isfinite(s.min_gain) || s.min_gain >= 100))
    return usage_error("--min-gain is a percentage below 100");
  if (by == Figure::instructions && !measure::Runner({}).counts())
    return fail("this machine does not count instructions, or forbids it: --by cpu");
  return {};
}

// What is certain of the gain, not what is likely.
Status check_gain(const Settings& s, const MeasuredCommands& measured) {
  for (size_t i = 1; s.is_given("--min-gain") && i < s.plan.commands.size(); ++i) {
    auto ratio = measured.ratio(i, measured.by);
    // Of runs too short for the clock of CPU time.
    if (!ratio) return fail("{}", measured.verdict(i));
    double gain = 100 * (1 - ratio->high);
    if (gain < s.min_gain)
      return std::unexpected(
          Error{fmt::format("{}: a gain of {:g} % was asked for, and {:.2f} % is certain",
                            measured.name(i), s.min_gain, gain),
                below_gain});
  }
  return {};
}

// Where a word of one command was taken for another.
Error with_hint(const std::vector<std::string>& commands, Error error) {
  if (commands.size() < 2 || !are_words(commands)) return error;
  auto is_of = [&](const std::string& one) { return error.message.starts_with(one + ": "); };
  if (std::any_of(commands.begin() + 1, commands.end(), is_of))
    error.message += "; " + as_one(commands);
  return error;
}

Status measure_commands(Settings& s) {
  auto by = TRY(figure_named(s.by));
  TRY(check(s, by));
  std::optional<Progress> progress;
  if (!s.quiet) progress.emplace("measuring", 0);
  if (progress)
    s.plan.progress = [&](const measure::Step& step) {
      progress->show(report::format("{}", as_text(step)));
    };
  s.plan.if_it_fails = "; --may-fail measures it all the same";
  auto measurement = measure::measure(s.plan);
  if (!measurement) return std::unexpected(with_hint(s.plan.commands, measurement.error()));
  progress.reset();
  MeasuredCommands measured{
      .plan = s.plan, .measurement = *measurement, .by = by, .confidence = confidence};
  report::print("{}", report::lines(s.json ? measured.as_json() : measured.as_text()));
  if (!s.output.empty()) {
    auto out = TRY(OutputFile::create(s.output));
    out.write(measured.as_json());
    TRY(out.commit());
  }
  return check_gain(s, measured);
}

int run(std::span<char* const> arguments) {
  Settings s;
  auto& plan = s.plan;
  OptionTable table{
      "pgokit measure",
      "Run commands in turn and tell which is faster, by how much, and how certain that is.",
      {{"-n,--runs", "N",
        "how often each is run (as many as fit into --for); at least 6 of two commands, 7 of three",
        &plan.rounds},
       {"--for", "SECONDS", "how long (20), and at least 10 runs of each", &plan.seconds},
       {"--warm-up", "N", "runs of each before, which are not counted (1)", &plan.warm_up},
       {"--prepare", "CMD",
        "run before each run, and not measured; given once, or once for each command",
        &plan.prepare},
       {"--name", "NAME", "what each command is called, in their order (A, B, ...)", &plan.names},
       one_of({"--by", "FIGURE", "what decides: {}", &s.by}, {"cpu", "wall", "instructions"}),
       {"--min-gain", "PERCENT", "exit code 3 unless each is faster than the first by that much",
        &s.min_gain},
       {"--same-output", "", "an error unless all print the same and end alike", &plan.same_output},
       {"--may-fail", "", "measure commands that end with an exit code too", &plan.may_fail},
       {"--timeout", "SECONDS", "an error if a run takes longer; 0: none", &plan.timeout_s},
       {"--json", "", "print JSON, with each run", &s.json},
       {"-o,--output", "FILE", "write that to FILE too, for pgokit report --measurement",
        &s.output},
       {"-q,--quiet", "", "no progress on a terminal", &s.quiet}},
      "example:\n"
      "  pgokit measure -- './app train' './faster train'\n\n"
      "Each command is one argument; a shell runs those that have more than words in them. The\n"
      "others are compared with the first."};
  table.trailing = &plan.commands;
  table.usage = {"[options] -- 'CMD A' ['CMD B' ...]"};
  table.given = &s.given;
  if (auto exit = parse_options(table, arguments)) return *exit;
  auto status = measure_commands(s);
  return status ? 0 : report_failure("measure", status.error());
}

}  // namespace

constexpr Command measure_command{"measure", "tell which of several commands is faster", run};

}  // namespace pgokit::cli
