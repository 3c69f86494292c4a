#pragma once

// Takes the samples of stopped threads: a window each, then branches and call chain go to the
// recording.

#include <functional>
#include <memory>
#include <random>
#include <span>
#include <vector>

#include "record/recorder.h"
#include "record/software/branch_counter.h"
#include "record/software/call_chain.h"
#include "record/software/recording_file.h"
#include "record/software/stacks.h"
#include "record/software/window.h"
#include "record/system/cpu_time.h"

namespace pgokit::record {

struct SampledThread : Thread {
  bool due = false;
  u64 due_since_ns = 0;
  u64 window_begin_ns = 0;  // its CPU time then
  u64 unsaid_ns = 0;        // CPU time since the last sample that was written
  CpuTime cpu_time;
};

class Sampler {
 public:
  struct Settings {
    u32 depth = 32;
    bool callchain = true;
    u64 period_ns = 0;
    u64 cycles = 0;         // see StackCutter
    u64 cycles_per_us = 0;  // of the time stamp counter
  };

  Sampler(WindowEngine& engine, RecordingFile& recording, Settings settings)
      : engine_(engine),
        recording_(recording),
        settings_(settings),
        cutter_(settings.depth, settings.cycles) {}

  // The thread has been stopped because it is due. True: it runs in a window now.
  bool begin(SampledThread& thread);
  // A stop of a thread in a window. False: the window is over and the thread stopped.
  bool stopped(SampledThread& thread, Stop stop);

  // Notes which code is mapped where.
  void refresh(SampledThread& thread);

  TraceCounts& counts() { return counts_; }
  // What the windows have counted.
  perf::BranchCounts branch_counts() const;
  // Why no windows were possible in a process, empty where they always were.
  const std::string& obstacle() const { return obstacle_; }

 private:
  bool begin_here(SampledThread& thread, const Registers& regs);
  static size_t real_frames(AddressSpace& space, std::span<const u64> chain);
  void write_samples(SampledThread& thread, const Registers& regs);
  void time(SampledThread& thread) const;
  void add_counts(SampledThread& thread);
  void write_place(SampledThread& thread, const Registers& regs);

  WindowEngine& engine_;
  RecordingFile& recording_;
  Settings settings_;
  ChainUnwinder unwinder_;
  StackCutter cutter_;
  BranchCounter counter_;
  TraceCounts counts_;
  std::string obstacle_;
  std::minstd_rand random_{1};  // the same seed for each recording
  std::vector<u64> chain_;
};

}  // namespace pgokit::record
