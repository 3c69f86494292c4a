#pragma once

// Records a program: what `pgokit record` does.
//
//   RecordSettings settings{.output = "perf.data", .command = {"./app"}};
//   auto summary = TRY(record_in_software(settings));
//   return summary.exit_code;                          // of the program

#include <sys/types.h>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/types.h"

namespace pgokit::record {

struct TraceCounts {
  u64 windows = 0;
  u64 samples = 0;
  u64 full = 0;        // with as many branches as were asked for
  u64 without = 0;     // none: the code at that place cannot be followed
  u64 generated = 0;   // of these: it is in no file, as of just-in-time compilers
  u64 crowded = 0;     // or there is no room near it, between the stacks of hundreds of threads
  u64 in_kernel = 0;   // ticks that met the thread in a system call: no sample
  u64 branches = 0;    // entries written
  u64 counted = 0;     // branches counted, in windows or in all
  u64 accesses = 0;    // to memory, sampled
  u64 stops = 0;       // of threads for windows
  u64 answers = 0;     // that threads in windows got without a stop
  u64 stopped_ns = 0;  // from tick to the end of the window, summed
  u64 lost = 0;        // records that the kernel had no room for
  // The part of an endless recording's shares of branches that this one has right, as far as that
  // is a matter of how many windows there are: told by how alike two halves of them are. 0: not
  // known.
  double likeness = 0;
  u64 threads = 0, processes = 0;
  u64 contexts = 0;      // different ones that branches were counted in, when all is over
  u64 cut_contexts = 0;  // calls and branches counted at a context that begins later than theirs
};

// A recording of nothing is not written: what was at its path stays.
inline bool has_recorded(const TraceCounts& counts) {
  return counts.samples > 0 || counts.counted > 0;
}

struct RecordSettings {
  std::string output = "perf.data";
  std::vector<std::string> command = {};  // or
  std::vector<pid_t> pids = {};
  bool tree = false;  // and all processes that descend from them; later ones are followed anyway
  std::string cgroup = {};  // the folder of a control group: all processes in it; or
  bool all_cpus = false;  // all processes, while the command runs if there is one; not in software
  // Names or paths of the programs that are recorded, of all that run: what they cost and what the
  // windows tell is theirs alone. None: all. Not in hardware.
  std::vector<std::string> only = {};
  double seconds = 0;  // 0: until the program ends
  // By how much the program may be slowed down, as a share of its own time: as many windows are
  // taken as fit into that.
  double slowdown = 0.15;
  // Or: samples per second of a thread's CPU time, in software windows of which each gives a few.
  // 0: by `slowdown` in software, 4,000 in hardware.
  u64 frequency = 0;
  // End the recording when more windows would change little.
  bool until_dense = false;
  u32 depth = 32;
  bool callchain = true;
  u64 kept_ns = 300;  // how much of a window is kept: what is taken in that much time
  // How long a window of the code cache counts on average, in its copy. Short ones tell less of how
  // fast the program is, as their copies are new to the caches; of long ones there are fewer
  // (bench/record.md). 0: 1,000, or as long as the time between windows where `frequency` says how
  // many there are.
  u64 window_us = 0;
  // Accesses to memory are sampled too, in the same windows.
  bool memory = false;
  bool single_step = false;  // the slow way, to be compared with
  // All branches from beginning to end are counted; there are no samples.
  bool exact = false;
  bool contexts = false;                       // ... by calling context
  std::vector<std::string> command_line = {};  // for the file's header
  std::function<void(const TraceCounts&)> progress = {};
};

struct RecordSummary {
  TraceCounts counts;
  u64 file_size = 0;
  int exit_code = 0;  // as of a shell: 128 + the signal that has ended the command
  int signal = 0;     // ... or 0
  // --until-dense has what it wants; it may have ended the recording before the command.
  bool is_dense = false, ended_dense = false;
  bool interrupted = false;  // a signal asked for the end, whether the command heeded it or not
  // The processes of the command that went on when it ended, and were left to themselves.
  std::vector<pid_t> left_running;
  // The names of some of the programs that ran, of `only` or not. Not in hardware.
  std::vector<std::string> programs;
  std::string obstacle;       // why there were no windows in a process
  std::string tick_obstacle;  // why there is no exact timer, empty where there is
};

Result<RecordSummary> record_in_software(const RecordSettings& settings);
// Why there are none on this processor, in a few words; empty where there are.
std::string_view software_obstacle();

}  // namespace pgokit::record
