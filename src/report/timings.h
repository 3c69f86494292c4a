#pragma once

// How long the stages of a run took, and how much memory each wanted at most.
//
//   Timings timings(settings.timings);      // false: nothing is measured
//   timings.begin("reading app.perf");      // ends the stage before
//   ...
//   timings.end();
//   report::print(stderr, "{}", timings.text());
//
// The peak of a stage is that of the whole process within it (VmHWM in /proc/self/status, which
// writing 5 to /proc/self/clear_refs sets back: proc(5)); where the kernel does not allow that, it
// is the peak so far. Stages follow each other, on one thread.

#include <chrono>
#include <string>
#include <vector>

#include "base/types.h"
#include "report/json.h"

namespace pgokit::report {

class Timings {
 public:
  struct Stage {
    std::string name;
    double seconds = 0, cpu_seconds = 0;  // cpu: of all threads
    u64 peak_memory = 0;
  };

  explicit Timings(bool on) : on_(on) {}

  void begin(std::string stage);
  void end();
  const std::vector<Stage>& stages() const { return stages_; }
  // A table with a line per stage and their sum; empty where nothing is measured.
  std::string text() const;
  // A list with an object per stage: its name, seconds, CPU seconds, and peak memory in bytes.
  Json json() const;

 private:
  using Clock = std::chrono::steady_clock;

  bool on_;
  bool running_ = false;
  Clock::time_point started_;
  double cpu_started_ = 0;
  std::vector<Stage> stages_;
};

}  // namespace pgokit::report
