#pragma once

// One run of a command, and what it took.
//
//   Runner runner({.hash_output = true});
//   auto run = TRY(runner.run(command_of("./app --quiet train")));   // run.wall_s, run.cpu_s, ...
//
// Standard input is /dev/null. Output is a pipe that is read, or a log: a program may see that
// nobody reads it, as grep does of /dev/null, and do something else then. The times are those of the
// process and of the children that it has waited for.

#include <csignal>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/types.h"

namespace pgokit::measure {

// Variables that a command has beside those of this process.
using Environment = std::vector<std::pair<std::string, std::string>>;

// What is executed for a command that a person has written: its words, or a shell where it has more
// than words.
std::vector<std::string> command_of(const std::string& text);

struct Run {
  double wall_s = 0, user_s = 0, system_s = 0;
  u64 peak_memory = 0;  // bytes
  u64 page_faults = 0;
  // Of user space, where the machine counts them.
  std::optional<u64> instructions = {}, branch_misses = {};
  int exit_code = 0;
  int signal = 0;  // that ended it
  // Of standard output, if it is looked at: its hash, and how it begins.
  u64 output_hash = 0;
  std::string output_start = {};
  std::string errors = {};  // the end of what it wrote to standard error, unless that has a log

  double cpu_s() const { return user_s + system_s; }
  bool failed() const { return exit_code != 0 || signal != 0; }
  // "ended with exit code 3"; of 139, with which shells say it: "... (Segmentation fault)".
  std::string ending() const;
};

// While one lives, a signal that ends programs (Ctrl-C) waits until a command runs. It ends that with
// all that it has started, and the error has the exit code `interrupted`. What comes behind it, as
// from `timeout`, which sends two, is ignored: the process has to say what became of its work.
class SignalHold {
 public:
  SignalHold();
  ~SignalHold();
  SignalHold(const SignalHold&) = delete;
  // Of commands that are run: as it was before the first of those that live.
  static const sigset_t& mask_of_commands();

 private:
  sigset_t before_;
};
inline constexpr int interrupted = 130;  // as shells say it

class Runner {
 public:
  struct Settings {
    bool hash_output = false;
    double timeout_s = 0;  // 0: none
    std::string log = {};  // a file that all output is added to
    Environment environment = {};
  };
  explicit Runner(Settings settings);
  Runner(const Runner&) = delete;

  // The machine counts instructions and branch misses.
  bool counts() const { return counts_; }
  // An error where it cannot be started, or takes too long.
  Result<Run> run(const std::vector<std::string>& command) const;

 private:
  Settings settings_;
  bool counts_;
};

}  // namespace pgokit::measure
