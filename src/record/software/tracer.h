#pragma once

// Follows the threads of a program by ptrace(2), through clone, fork and exec: stops them when a
// sample is due, and lets everything else pass through, by way of a Follower. A process that runs a
// program which is not chosen is followed only to where it executes one that is.
//
//   ProgramChoice choice;
//   Tracer tracer(follower, ticks, recording, choice);
//   TRY(tracer.launch(command));                 // or tracer.attach(pid)
//   tracer.run(seconds, [] {});
//   int code = tracer.wait_for_end();
//
// Threads are seized, not attached to, and nothing of the program is changed but a reserved piece
// of its address space: when the recorder dies, the program goes on. Threads in uninterruptible
// calls (vfork() until its child executes another program) are not waited for at the end.
//
// One thread does all of it, as ptrace(2) demands. Signals are its events: SIGCHLD for stops, those
// for samples among them, tick_signal for samples of threads that do not stop for them by
// themselves, those that end a recording. They are blocked while a Tracer exists.

#include <signal.h>
#include <sys/types.h>
#include <tsl/robin_map.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "record/software/attention.h"
#include "record/software/follower.h"
#include "record/software/program_choice.h"
#include "record/software/recording_file.h"
#include "record/software/ticks.h"

namespace pgokit::record {

class Tracer {
 public:
  static int tick_signal();

  Tracer(Follower& follower, TickSource& ticks, RecordingFile& recording, ProgramChoice& programs);
  ~Tracer();
  Tracer(const Tracer&) = delete;

  // Starts a program; it is followed from its exec() on.
  Status launch(const std::vector<std::string>& command);
  // Follows all threads of a running process; may be called for several.
  Status attach(pid_t pid);
  bool follows(pid_t tid) const { return threads_.contains(tid); }
  bool follows_any() const { return !threads_.empty(); }
  // Until the program has ended, `seconds` (0: no limit) are over, or the user has had enough; then
  // all threads are left to themselves. `now_and_then` may attach to more processes; it is called
  // once more when there is none left.
  void run(double seconds, const std::function<void()>& now_and_then);

  // Of the launched program: its own exit code, or 128 + the number of the signal that ended it.
  int wait_for_end();
  // The signal, or 0.
  int end_signal() const { return end_signal_; }
  // It got a signal that asks for its end, by the terminal or by the recorder.
  bool interrupted() const { return interrupted_; }
  // run() ended since `seconds` were over.
  bool time_is_over() const { return time_is_over_; }
  // run() ended since Follower::has_enough().
  bool had_enough() const { return had_enough_; }
  // The processes that it had started and that go on although it has ended, ascending.
  std::vector<pid_t> left_running() const;

 private:
  static sigset_t block_signals();

  struct Traced : FollowedThread {
    bool begun = false;              // its first stop is over
    bool chosen = true;              // what it runs is recorded
    bool waiting = false;            // stopped, until its creator's stop tells who it is
    bool stops_at_end = false;       // with PTRACE_EVENT_EXIT, for Follower::ends()
    bool signals_have_come = false;  // since it is to be left to itself
  };

  void wait_for_event(u64 until_ns);
  void take_signal(const siginfo_t& info);
  void reap();
  bool attend();
  u64 until_next_tick(u64 now_ns);
  void rehearse(Traced& one);
  void interrupt_all();
  void handle_stop(Traced& thread, Stop stop);
  bool is_at_tick(const Traced& one) const;
  void handle_tick(Traced& one);
  bool is_due(Traced& one);
  bool begin_window(Traced& one);
  void make_way(Traced& one);
  void handle_event(Traced& thread, Stop stop);
  static void stay_stopped(const Traced& one);
  void handle_creation(Traced& creator);
  void handle_exec(Traced& thread);
  void make_again(Traced& one);
  void handle_gone(pid_t tid, int status);
  void adopt_waiting();
  void begin_following(Traced& thread);
  // `is_first`: of its process, which is counted too.
  void count(const Traced& thread, bool is_first);
  void tick(pid_t tid);
  void go_on(Traced& thread);
  void let_go(Traced& thread);
  void interrupt_windows(const AddressSpace& space);
  void return_memory(Traced& thread);
  void note_left_running();
  void leave_all();
  void expire_maps();
  Traced& thread(pid_t tid);
  bool seize(pid_t tid);
  static void stop_at_end(Traced& one);

  Follower& follower_;
  TickSource& ticks_;
  RecordingFile& recording_;
  ProgramChoice& programs_;
  tsl::robin_map<pid_t, std::unique_ptr<Traced>> threads_;
  sigset_t signals_before_;
  Attention attention_;
  CpuTime own_time_;       // the recorder's
  u64 last_event_ns_ = 0;  // 0: since the last look at the time
  u64 rehearsed_ns_ = 0;   // the tick that was expected for then
  pid_t main_pid_ = 0;
  bool launched_ = false;
  bool enough_ = false;  // end the recording
  bool had_enough_ = false, interrupted_ = false, time_is_over_ = false;
  bool leaving_ = false;  // threads are detached when they stop
  bool ended_ = false;    // the launched program has
  int exit_code_ = 0, end_signal_ = 0;
  std::vector<pid_t> left_running_;
};

}  // namespace pgokit::record
