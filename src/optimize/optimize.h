#pragma once

// From the commands that build and run a program to a faster build of it.
//
//   Settings settings{.build = "make", .run = "./app train", .profiling = {"-g"}, .say = say};
//   auto outcome = TRY(optimize(settings));
//   use(outcome.builds[outcome.kept].file);              // ".pgokit/profile/app"
//
// The commands are the user's and run in the current folder, where the program is built each time;
// everything else is in the work folder: a copy of the program of each build, its options and log,
// the recording, the profile, and a journal, by which an interrupted command goes on.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "measure/measurement.h"
#include "optimize/built_program.h"
#include "optimize/cargo.h"
#include "optimize/toolchain.h"
#include "optimize/work_folder.h"

namespace pgokit::optimize {

// How far it goes.
enum class Goal : u8 {
  build,    // the program that can be recorded
  record,   // its profile
  use,      // a build with a profile that is there
  measure,  // all builds, and which is the fastest
};

struct Settings {
  std::string build, run;                   // for a shell
  std::optional<Cargo> cargo = {};          // builds it, and not `build`
  std::vector<std::string> arguments = {};  // the program is run with them where `run` is empty
  Goal goal = Goal::measure;
  bool counted = false;                   // Goal::use: `profile` counts whole runs
  std::string profile = {};               // Goal::use: empty: that of the last recording
  std::string measure = {};               // what is measured; empty: run
  std::optional<std::string> clean = {};  // nullopt: by clean_command_of(); empty: none
  std::string program = {};               // empty: of those that the build made, what ran most
  std::string folder = ".pgokit";
  std::vector<std::string> with = {};  // builds to be tried beside that with the profile
  FlagsBy flags_by = FlagsBy::wrapper;
  bool can_choose_flags = true;  // the command has --flags-by, which errors may tell of
  bool sampled = false;          // take samples of the run instead of counting all of it
  // The profile is by pseudo probes, of a recorded build of their own; otherwise by lines, of the
  // plain build.
  bool by_probes = true;
  bool restart = false;
  measure::Environment environment = {};  // of the build
  u64 rounds = 0;                         // of measuring; 0: as many as fit into `seconds`
  double seconds = 20;
  // Options of the compiler: for a build that can be recorded, and what adds probes to it.
  std::vector<std::string> profiling;
  std::string probes = {};
  Say say;
  std::function<void(const measure::Step& step)> progress = {};
  // What `pgokit measure --json` prints of the measurement, for the report; none: no report.
  std::function<std::string(const measure::Plan&, const measure::Measurement&)> as_json = {};
};

// One build of the program.
struct Build {
  std::string name;  // "plain", "profile", "layout" ...; its folder in the work folder
  Options options;
  std::string profile = {};  // that it uses
  std::string file = {};     // the copy of the program
  std::string after = {};    // the command that makes it of what was built; empty: none
  // Beside the options, and nothing to recommend: so that it tells what the compiler made of them.
  Options telling = {};

  Options all_options() const {
    Options all = options;
    all.add(telling);
    return all;
  }
};

struct Outcome {
  std::string program;
  std::vector<Build> builds;  // the plain one first; of other goals than Goal::measure one
  measure::Plan plan;         // a command for each build
  measure::Measurement measurement;
  bool counted = false;   // the profile counts the whole run
  size_t kept = 0;        // the fastest for certain: 0 where none is faster than the plain one
  std::string made_last;  // the build that left everything else where it is
  std::string compiler;   // of C, as its command; empty: rustc
  // Others that the build made and that ran much, without a profile of their own: with their shares
  // of all that it made.
  std::vector<std::pair<std::string, double>> others = {};
  RunShares ran = {};       // where the training run was
  std::string report = {};  // a page of what was recorded and measured; empty: there is none
};
inline constexpr double confidence = 0.95;  // of all comparisons together

Result<Outcome> optimize(const Settings& settings);

// The builds that can be tried, by the names for Settings::with.
struct Variant {
  std::string_view name, what;
  bool of_rust = false;  // cargo's builds can be built so too
};
const std::vector<Variant>& variants();

}  // namespace pgokit::optimize
