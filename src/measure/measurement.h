#pragma once

// Commands run in turn, in rounds: each once in a round, in an order that chance decides.
//
//   Plan plan{.commands = {"./plain train", "./faster train"}, .rounds = 20};
//   auto measurement = TRY(measure(plan));
//   auto gain = compare(measurement, Figure::cpu_time, 0, 1, 0.95);   // gain->ratio, ->low, ->high
//
// What a round has in common (the machine's speed, other programs) is in all of its runs, and
// leaves their ratio.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "measure/machine_load.h"
#include "measure/run.h"

namespace pgokit::measure {

// The run that begins.
struct Step {
  std::string command;
  u64 number = 0;     // of all runs, from 1 on
  u64 of = 0;         // how many there will be, as far as that can be told; 0: not yet
  double left_s = 0;  // until then
};
// "run 12 of 50, 1:05 left: ./app".
std::string as_text(const Step& step);

struct Plan {
  std::vector<std::string> commands;  // as a person writes them
  u64 rounds = 0;                     // 0: as many as fit into seconds, and at least least_rounds
  double seconds = 20;
  u64 warm_up = 1;  // runs of each that are not counted
  // Run before each run, and not measured: nothing, one for all commands, or one for each.
  std::vector<std::string> prepare = {};
  std::vector<std::string> names = {};  // of the commands, for what is said of them; may be empty
  bool same_output = false;             // an error unless all runs print the same and end alike
  bool may_fail = false;
  std::string if_it_fails = {};  // what an error says then: where may_fail can be asked for
  double timeout_s = 0;
  std::function<void(const Step& step)> progress = {};
};
inline constexpr u64 least_rounds = 10, most_rounds = 200;
// Of less CPU time most may be the start of the process.
inline constexpr double shortest_s = 0.005;

struct Measurement {
  std::vector<std::vector<Run>> runs;  // by command, a round each
  MachineLoad load;
  double elapsed_s = 0;
};

Result<Measurement> measure(const Plan& plan);

enum class Figure : u8 {
  cpu_time,
  wall_time,
  peak_memory,
  page_faults,
  instructions,
  branch_misses,
};
// nullopt: it was not counted.
std::optional<double> value_of(const Run& run, Figure figure);
// Of all runs of a command; of those that have it.
std::vector<double> values_of(const std::vector<Run>& runs, Figure figure);

double median_of(std::vector<double> values);
// How far the middle half of the values is spread, half of it, as a share of their median.
double spread_of(std::vector<double> values);

// Runs that took far longer, or far less, than the others of their command: by five times the usual
// distance from the median, and by 2 %.
struct Outliers {
  u64 count = 0;    // of those that took longer
  double most = 1;  // the longest, as a multiple of the median
  u64 short_count = 0;
  double least = 1;
};
Outliers outliers_of(const std::vector<double>& values);

// Of one command's figure to another's, with its interval.
struct Ratio {
  double value = 1, low = 1, high = 1;
  bool differs() const { return low > 1 || high < 1; }
  // The largest difference from 1 that the interval holds.
  double largest_change() const;
};
// By which each command is compared with the first, so that `confidence` is that of all verdicts.
double confidence_of_each(double confidence, size_t commands);
// nullopt: there are too few rounds.
std::optional<Ratio> compare(const Measurement& measurement, Figure figure, size_t base,
                             size_t test, double confidence);

}  // namespace pgokit::measure
