#pragma once

// Counts all branches that the followed threads make, from beginning to end.
//
//   WholeRunCounter counter(recording);
//   ProgramChoice all;
//   Tracer tracer(counter, ticks, recording, all);
//   ...
//   counter.write_counts(false);             // not of a part of the run only
//
// Each thread runs in copies of the code (translate.h, CopyFor::whole_run), and makes most system
// calls there. For counts by calling context the copies log the branches instead, and come out when
// the log is full (context_counter.h). For code that is not translated yet a thread comes out, and
// goes in again where it was. System calls that change the process, or what code there is, are made
// outside, by the program's own instruction. Signals are delivered outside, with the program's own
// registers; the thread goes in again at the first instruction of the handler. An instruction that
// cannot be copied is stepped over; code that may not be copied runs uncounted until its next system
// call. A thread that meets such code again and again is left to itself for some 0.1 s instead: it
// would be stopped twice for each time.
//
// A program that runs again, in another process, has the copies that were made in the one before.
//
// Where execution goes on elsewhere than where it was left (a handler, for one), the counts say so:
// one stretch ends there and another one begins. A thread's scratch area is its own until it ends;
// its counts are taken then, and before the cache forgets what they are of.

#include <tsl/robin_set.h>

#include <memory>
#include <string>
#include <vector>

#include "record/software/branch_counter.h"
#include "record/software/context_counter.h"
#include "record/software/follower.h"
#include "record/software/images.h"
#include "record/software/recording_file.h"

namespace pgokit::record {

class WholeRunCounter : public Follower {
 public:
  // `by_context`: copies log their branches (CopyFor::contexts), for counts by calling context.
  explicit WholeRunCounter(RecordingFile& recording, bool by_context = false);

  CopyFor purpose() const override { return contexts_ ? CopyFor::contexts : CopyFor::whole_run; }
  bool is_own_signal(FollowedThread& thread) override;
  bool stopped(FollowedThread& thread, Stop stop) override;
  void go_on(FollowedThread& thread) override;
  void ends(FollowedThread& thread) override;
  std::vector<FollowedThread*> take_waiting() override;
  std::vector<FollowedThread*> take_resting() override;
  void prepare_next() override { images_.prepare(); }
  void refresh(FollowedThread& thread) override;

  // Writes the counts of threads that have ended or come out; the others' are lost with them.
  void write_counts(bool part_of_run);

 private:
  struct State;
  static State& state_of(FollowedThread& thread);

  bool enter(FollowedThread& thread, Registers regs);
  bool go_in(FollowedThread& thread, Registers regs, u64 code);
  bool may_go_in(FollowedThread& thread, const Registers& regs);
  bool prepare(FollowedThread& thread, u64 address);
  bool has_area(FollowedThread& thread);
  bool step_over(FollowedThread& thread, Registers regs);
  static void step(FollowedThread& thread, const Registers& regs, int signal);
  static void hide_trap_flag(FollowedThread& thread);
  void go_on_outside(FollowedThread& thread, const Registers& regs);
  bool needs_rest(State& own) const;
  bool come_out(FollowedThread& thread, Registers& regs);
  bool make_call(FollowedThread& thread, const Registers& regs);
  void correct_fault(FollowedThread& thread, u64 in_copy, u64 in_program);
  void notice_end(FollowedThread& thread);
  void goes_on_at(FollowedThread& thread, const Registers& regs);
  void take_log(FollowedThread& thread, const scratch::Header& header);
  void take_counts(FollowedThread& thread);
  void take_last_counts(FollowedThread& thread);
  void count(AddressSpace& space, std::span<const EdgeCount> counts);

  RecordingFile& recording_;
  BranchCounter counter_;
  std::unique_ptr<ContextCounter> contexts_;  // null: flat counts are wanted
  std::vector<u8> log_;
  tsl::robin_set<FollowedThread*> inside_, waiting_, resting_;
  u64 rests_ = 0;  // how often take_resting() was called
  ProgramImages images_;
};

}  // namespace pgokit::record
