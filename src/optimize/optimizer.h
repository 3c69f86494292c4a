#pragma once

// The steps of one optimize(): the road that all builds share, and the builds beside it.
//
// A step is done once: the journal has its words and its result.

#include <optional>
#include <string>

#include "optimize/builder.h"
#include "optimize/journal.h"
#include "optimize/optimize.h"

namespace pgokit::optimize {

class Optimizer {
 public:
  Optimizer(const Settings& settings, WorkFolder work, Journal journal, Toolchain toolchain)
      : settings_(settings),
        work_(std::move(work)),
        journal_(std::move(journal)),
        toolchain_(std::move(toolchain)),
        builder_(settings, work_, toolchain_, settings.by_probes ? "recorded" : "plain") {}

  // The list of steps.
  Result<Outcome> run();
  // Of one of them: what has been built for it stands where the user's own build did.
  Error with_what_is_built(Error error) const;

  // The builds that can be tried: each makes what it needs, and adds one to the outcome.
  Status add_layout();
  Status add_propeller();
  Status add_lines();
  Status add_inlining();
  Status add_bolt();
  Status add_instrument();
  Status add_targets();

 private:
  // Runs what it is given unless it was done before in the same words.
  template <class Do>
  Result<std::string> step(const std::string& name, const std::string& words, Do do_it) {
    bool goes_on = journal_.has_next();
    if (auto result = journal_.done(name, words)) {
      settings_.say(fmt::format("# {}: done before", name));
      return *result;
    }
    settings_.say(goes_on ? fmt::format("# {}: by other commands or options than before, so from "
                                        "here on all is done again",
                                        name)
                          : "# " + name);
    if (goes_on) TRY(journal_.write());
    auto result = TRY(do_it());
    TRY(journal_.add(name, words, result));
    return result;
  }

  Status check_tools() const;
  Result<Outcome> use();
  Result<Outcome> finished_with(Build build);
  std::string run_command() const;
  Status prepare(Build& build);
  // The first of them tells which program it is.
  Status build_to_record(Build& build, const std::string& recording, bool sampled);
  Result<std::string> choose_program(const std::string& recording, const Build& build);
  Status record(const std::string& recording, bool sampled);
  ShellCommand generate(const Build& build, const std::string& recording, const std::string& file,
                        const std::string& options = "") const;
  // `file`, by this program or another one.
  Status make_file(const std::string& file, const ShellCommand& command);
  Result<Build> profile_by_lines();
  Options with_profile(Options options, const std::string& profile) const;
  // Whether the recording that is there counts a whole run.
  bool is_counted(const std::string& recording) const;
  Status add_build(Build build);
  Status finish_build(Build build);
  // Runs a build that writes counts at its end; the files, in words for a shell.
  Result<std::string> counts_of(Build& build, const char* variable, const char* pattern);
  Result<std::vector<std::string>> flags_of_counting(const std::string& which) const;
  std::string kept_file(const Build& build) const;
  std::string word(const std::string& file) const;
  Status measure();
  Status write_report();

  const Settings& settings_;
  WorkFolder work_;
  Journal journal_;
  Toolchain toolchain_;
  Builder builder_;
  Build recorded_;
  std::optional<Build> by_lines_;
  Outcome outcome_;
};

}  // namespace pgokit::optimize
