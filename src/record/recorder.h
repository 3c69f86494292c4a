#pragma once

// Records a program: what `pgokit record` does.
//
//   RecordSettings settings{.output = "perf.data", .command = {"./app"}};
//   auto summary = TRY(record_in_software(settings));
//   summary.exit_code                                  // of the program

#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "record/software/sampler.h"

namespace pgokit::record {

struct RecordSettings {
  std::string output = "perf.data";
  std::vector<std::string> command = {};  // or
  pid_t pid = 0;
  double seconds = 0;  // 0: until the program ends
  u64 frequency = 50;  // windows per second of a thread's CPU time; each gives a few samples
  u32 depth = 32;
  bool callchain = true;
  u64 kept_ns = 600;  // how much of a window is kept: what is taken in that much time
  WindowLength length = {.first_passes = 1024, .further_passes = 64, .parts = 5};
  bool single_step = false;                    // the slow way, to be compared with
  std::vector<std::string> command_line = {};  // for the file's header
  std::function<void(const TraceCounts&)> progress = {};
};

struct RecordSummary {
  TraceCounts counts;
  u64 file_size = 0;
  int exit_code = 0;
  std::string obstacle;       // why there were no windows in a process
  std::string tick_obstacle;  // why there is no exact timer, empty where there is
};

Result<RecordSummary> record_in_software(const RecordSettings& settings);

}  // namespace pgokit::record
