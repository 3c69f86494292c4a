#pragma once

// Takes the samples of stopped threads: a window each, then branches and call chain go to the
// recording.

#include <unistd.h>

#include <functional>
#include <memory>
#include <random>
#include <span>
#include <vector>

#include "record/software/branch_counter.h"
#include "record/software/budget.h"
#include "record/software/call_chain.h"
#include "record/software/follower.h"
#include "record/software/images.h"
#include "record/software/memory_samples.h"
#include "record/software/recording_file.h"
#include "record/software/stacks.h"

namespace pgokit::record {

class Sampler : public Follower {
 public:
  struct Settings {
    u32 depth = 32;
    bool callchain = true;
    u64 cycles = 0;         // see StackCutter
    u64 cycles_per_us = 0;  // of the time stamp counter
    Budget budget;
    bool until_dense = false;
    u64 accesses = 0;  // to memory that a sample of them stands for; 0: there are none
  };

  Sampler(WindowEngine& engine, RecordingFile& recording, Settings settings)
      : engine_(engine),
        recording_(recording),
        settings_(settings),
        cutter_(settings.depth, settings.cycles),
        budget_(settings.budget),
        memory_(recording, settings.accesses) {
    own_time_.open(getpid(), gettid());
  }

  CopyFor purpose() const override {
    return settings_.accesses ? CopyFor::memory : CopyFor::windows;
  }
  u64 period_ns() const override { return budget_.period_ns(); }
  bool is_due(FollowedThread& thread) override;
  bool begin(FollowedThread& thread) override;
  bool stopped(FollowedThread& thread, Stop stop) override;
  void set_watched(bool all_the_time) override { engine_.set_watched(all_the_time); }
  Answered answer(FollowedThread& thread) override;
  void pass_over(FollowedThread& thread) override { engine_.pass_over(thread); }
  void keep(FollowedThread& thread) override;
  void settle(FollowedThread& thread) override;
  void ends(FollowedThread& thread) override;
  void charge(u64 ns) override { budget_.follow(ns); }
  bool has_enough() override;
  void rehearse(FollowedThread& thread) override;
  void prepare_next() override { images_.prepare(); }
  void refresh(FollowedThread& thread) override;

  // What the windows have counted, to the recording.
  void write_counts();

 private:
  // TraceCounts::likeness of what there is.
  void estimate();
  bool begin_here(FollowedThread& thread, const Registers& regs);
  bool adopt(FollowedThread& thread, const Registers& regs);
  static size_t real_frames(AddressSpace& space, std::span<const u64> chain);
  void write_samples(FollowedThread& thread);
  void finished(FollowedThread& thread);
  static bool runs_on(FollowedThread& thread);
  u64 taken_ns(const FollowedThread& thread) const;
  u64 own_ns(const Window& window);
  void unwind(FollowedThread& thread, const Registers& regs);
  void add_counts(FollowedThread& thread);
  void write_place(FollowedThread& thread, const Registers& regs);

  WindowEngine& engine_;
  RecordingFile& recording_;
  Settings settings_;
  ChainUnwinder unwinder_;
  StackCutter cutter_;
  Budget budget_;
  MemorySampler memory_;
  BranchCounter counter_;
  ProgramImages images_;
  std::minstd_rand random_{1};  // the same seed for each recording
  std::vector<u64> chain_;      // that of the last window's end
  bool whole_chain_ = false;
  u64 unseen_ns_ = 0;  // CPU time since the last window
  CpuTime own_time_;   // the recorder's
};

}  // namespace pgokit::record
