#pragma once

// Writes of processes that run already what the kernel tells of those that begin: their names, and
// which files' code is mapped where.
//
//   RunningProcesses running(writer, {.time = before, .id = id});
//   for (pid_t pid : pids) running.write(pid);
//   if (!running.obstacle().empty()) ...

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "perf/writer.h"
#include "record/system/memory_map.h"

namespace pgokit::record {

class RunningProcesses {
 public:
  // Everything gets the time of `at`, which should be before that of the first sample.
  RunningProcesses(perf::Writer& writer, const perf::RecordId& at) : writer_(writer), at_(at) {}

  // Nothing of one that has ended, or belongs to the kernel.
  void write(pid_t pid);
  // Why the mappings of a process could not be read, empty where all could.
  const std::string& obstacle() const { return obstacle_; }

 private:
  const std::vector<u8>& build_id(pid_t pid, const Mapping& mapping);

  perf::Writer& writer_;
  perf::RecordId at_;
  std::string obstacle_;
  std::map<std::pair<u64, u64>, std::vector<u8>> build_ids_;  // by device and inode
};

}  // namespace pgokit::record
