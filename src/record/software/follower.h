#pragma once

// What a recorder makes of the threads that a Tracer follows: samples (sampler.h), or counts of all
// that they do (whole_run.h).

#include "record/recorder.h"
#include "record/software/window.h"
#include "record/system/cpu_time.h"

namespace pgokit::record {

struct FollowedThread : Thread {
  Stop last_stop{};
  bool due = false;
  u64 due_since_ns = 0;
  u64 stopped_since_ns = 0;         // or about to be, for the tick where one did it
  CpuTime::Times at_begin, at_end;  // of the window
  CpuTime::Times recorder_at_begin;
  u64 unsaid_ns = 0;  // CPU time since the last sample that was written
  CpuTime cpu_time;
};

class Follower {
 public:
  virtual ~Follower() = default;

  virtual CopyFor purpose() const = 0;
  // A signal that is none of the program's, but of the follower's making.
  virtual bool is_own_signal(FollowedThread&) { return false; }
  // Of the CPU time between a thread's ticks; it may change. 0: no matter.
  virtual u64 period_ns() const { return 0; }
  // The thread has run for one more period. True: it is to be stopped.
  virtual bool is_due(FollowedThread&) { return true; }
  // The thread has been stopped because it is due. True: it runs in a window now.
  virtual bool begin(FollowedThread&) { return false; }
  // A stop of a thread in a window. False: the window is over and the thread stopped.
  virtual bool stopped(FollowedThread& thread, Stop stop) = 0;
  // See WindowEngine.
  virtual void set_watched(bool) {}
  // At the end the thread goes on outside of the window, unless it is still in one.
  virtual Answered answer(FollowedThread&) { return Answered::nothing; }
  // A stop of a thread in a window that is no business of the window's: it goes on.
  virtual void pass_over(FollowedThread& thread) { resume(thread.tid, Resume::freely); }
  // After stopped() has been false, and where it can be after the thread has been set going again:
  // what is left to be done about the window.
  virtual void keep(FollowedThread&) {}
  // Sets a thread going that is stopped outside of windows, with thread.deliver.
  virtual void go_on(FollowedThread& thread) { resume(thread.tid, Resume::freely, thread.deliver); }
  // A stop of a thread outside of windows, to which whatever is still left of the last one must be
  // none.
  virtual void settle(FollowedThread&) {}
  // The thread is about to end, or to be left to itself; it is outside of windows if it is.
  virtual void ends(FollowedThread&) {}
  // Stopped threads that have waited for others to come out: to go on now.
  virtual std::vector<FollowedThread*> take_waiting() { return {}; }

  // The thread, which runs, is about to be due: what begin() will read of it may be read.
  virtual void rehearse(FollowedThread&) {}
  // There is nothing to do for the moment: what would take longer when there is may be prepared.
  virtual void prepare_next() {}

  // Asked for ten times a second: threads that have been left to themselves for a while, to be
  // stopped now.
  virtual std::vector<FollowedThread*> take_resting() { return {}; }

  // The time, in ns, that it costs to follow threads where they make others or execute a program.
  virtual void charge(u64) {}

  // The recording can end.
  virtual bool has_enough() { return false; }
  // Notes which code is mapped where.
  virtual void refresh(FollowedThread& thread) = 0;

  TraceCounts& counts() { return counts_; }
  // Why nothing could be recorded of a process, empty where it always could be.
  const std::string& obstacle() const { return obstacle_; }

 protected:
  TraceCounts counts_;
  std::string obstacle_;
};

}  // namespace pgokit::record
