#pragma once

// The perf.data file that the software recorder writes: what happened to processes, and samples.

#include <tsl/robin_map.h>

#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "perf/branch_contexts.h"
#include "perf/branch_counts.h"
#include "perf/writer.h"
#include "record/system/file_facts.h"
#include "record/x86/translate.h"

namespace pgokit::record {

class RecordingFile {
 public:
  struct Settings {
    std::string path;
    u64 period_ns = 0;
    bool callchain = true;
    u64 accesses = 0;  // a second event: samples of accesses to memory, one in so many
    // The same for each run that does the same: processes are numbered as they come, and so is time.
    bool reproducible = false;
    std::vector<std::string> command;  // for the file's header
  };
  static Result<RecordingFile> create(const Settings& settings);

  void comm(pid_t pid, pid_t tid, bool exec);
  // `tid`: a thread of the process that lives.
  void mapped(pid_t pid, pid_t tid, const Mapping& mapping);
  void forked(pid_t pid, pid_t tid, pid_t parent_pid, pid_t parent_tid);
  void exited(pid_t pid, pid_t tid);
  struct Sample {
    u64 ip = 0;
    u64 period_ns = 0;
    std::span<const Edge> taken = {};  // newest last
    std::span<const u64> chain = {};   // leaf first
    bool whole_chain = false;          // its first caller is the leaf's, wherever that is
  };
  void sample(pid_t pid, pid_t tid, const Sample& sample);
  // `count`: of accesses that this one stands for.
  void access(pid_t pid, pid_t tid, const MemoryAccess& access, u64 address, u64 count);

  // Of files that were mapped, in the order of the counts' own; goes into the file's header.
  void branch_counts(perf::BranchCounts counts, const std::vector<FileKey>& files);
  // The same by calling context.
  void branch_contexts(const perf::BranchContexts& contexts, const perf::BranchCounts& counts);

  u64 size() const { return writer_.size(); }  // of the whole file after commit()
  Status commit();

 private:
  RecordingFile(perf::Writer writer, const Settings& settings)
      : writer_(std::move(writer)),
        reproducible_(settings.reproducible),
        id_(settings.accesses ? id_of_branches : 0) {}
  perf::RecordId now(pid_t pid, pid_t tid);
  u32 number_of(pid_t id);
  const std::vector<u8>& build_id(pid_t tid, const Mapping& mapping);

  // Where there are two events, their samples have these; a single event has none.
  static constexpr u64 id_of_branches = 1, id_of_accesses = 2;

  perf::Writer writer_;
  bool reproducible_;
  u64 id_;
  u64 records_ = 0;
  tsl::robin_map<pid_t, u32> numbers_;  // of processes and threads
  std::vector<perf::BranchEntry> branches_;
  std::vector<u64> chain_;
  std::map<FileKey, std::vector<u8>, ByFile> build_ids_;
};

}  // namespace pgokit::record
