#pragma once

// When is a thread due for a sample? At random moments of its own CPU time (TickTimes), of which any
// is as likely as another. After equal times, a program that does the same things again and again
// would be found at some of them too often and at others never; and threads that use less than a
// period have their share of the samples.
//
//   TickSource ticks(period_ns, TickTimes::once_a_period, signal);  // blocked in this thread
//   ticks.add(pid, tid);
//   if (ticks.is_from_event(tid, info)) ticks.has_ticked(tid) ...  // `tid` stops for thread_signal
//   ticks.tell_thread(tid, u64{1} << (SIGUSR1 - 1));      // known again which signals it uses
//   ticks.stop(tid), ticks.renew(tid);                    // its time between them is none
//   auto [next, at_ns] = ticks.expected(0);               // should that thread not wait meanwhile
//   if (pid_t due = ticks.thread_of(info)) ...            // at each `signal` of the recorder
//   if (ticks.polls()) for (pid_t due : ticks.due()) ...  // at least every period
//   for (pid_t due : ticks.overdue()) ...                 // now and then
//
// A software clock event of perf_event_open() for each thread gives exact ticks. Its signal goes to
// the thread itself, which a tracer sees stop for it at the very instruction. Were it the recorder
// that is told, and then stops the thread, that would take some ten microseconds, and most threads
// would be found where they enter the kernel next: at page faults and system calls. Of threads that
// block the signal, or have a handler of it, the recorder is told all the same: they may wait for
// one of their own. Where events are not permitted, the CPU time of each thread is read from /proc
// at each period.

#include <signal.h>
#include <sys/types.h>
#include <tsl/robin_map.h>

#include <optional>
#include <random>
#include <string>
#include <vector>

#include "base/types.h"
#include "record/hardware/perf_ring.h"
#include "record/system/cpu_time.h"

namespace pgokit::record {

enum class TickTimes : u8 {
  // At a random moment of each period: a phase that takes several has its share of the samples to
  // within one, not by chance.
  once_a_period,
  // Whatever came before. Where the windows that begin at ticks are about as long as periods, the
  // moments behind them would be too rare otherwise.
  memoryless,
};

// Draws them for a thread, of whose present period the rest is kept.
class TickMoments {
 public:
  TickMoments(TickTimes times, u32 seed) : times_(times), random_(seed) {}
  // From a tick, whose period has a rest, to the next one, which has another.
  u64 next(u64 period_ns, u64& rest_ns);

 private:
  TickTimes times_;
  std::minstd_rand random_;
};

class TickSource {
 public:
  // By default it is ignored, so a thread whose recorder has just been killed goes on.
  static constexpr int thread_signal = SIGURG;

  TickSource(u64 period_ns, TickTimes times, int signal);
  ~TickSource();
  TickSource(const TickSource&) = delete;

  void add(pid_t pid, pid_t tid);
  void remove(pid_t tid);
  // A thread that executes another program is the same thread to the kernel, mostly. `waits`: for a
  // tick, which is still to come.
  void keep(pid_t pid, pid_t tid, bool waits);
  // What the thread has stopped for is no signal of the program's.
  bool is_from_event(pid_t tid, const siginfo_t& info) const;
  // Since the last call.
  bool has_ticked(pid_t tid);
  // When it did that, on the clock of monotonic_ns(); 0: not known.
  u64 ticked_at(pid_t tid) const;
  // Where its own signals do not forbid that; bit 0 is signal 1.
  void tell_thread(pid_t tid, u64 in_use);
  // Draws when the next tick comes. The processor where the thread was last sets its timer: one that
  // runs it is interrupted for that, one that sleeps by now must be woken, which takes longer.
  void renew(pid_t tid);
  // There is hardly any before renew(): what the thread does while a window runs is no time between
  // ticks. The timer is set only where it would soon go off again.
  void stop(pid_t tid);
  struct Expected {
    pid_t tid = 0;
    u64 at_ns = u64(-1);
  };
  // The first one that is to come at `from_ns` or later, of threads that run until then.
  Expected expected(u64 from_ns) const;
  // Threads that have ticked, but have come to block thread_signal.
  std::vector<pid_t> overdue();

  // 0: not one of ours.
  pid_t thread_of(const siginfo_t& info);
  // Those whose signals there was no room for in the queue: SIGIO came instead.
  std::vector<pid_t> missed();

  // Threads that have no event of their own have to be polled for.
  bool polls() const { return !polled_.empty(); }
  std::vector<pid_t> due();
  u64 period_ns() const { return period_ns_; }
  // The mean, from the next renew() of each thread on.
  void set_period(u64 period_ns) { period_ns_ = period_ns; }
  // Code has been mapped into one of the processes since the last call; always true without events.
  bool mappings_changed();
  // Why there are no events, empty where there are.
  const std::string& obstacle() const { return obstacle_; }

 private:
  struct Polled {
    CpuTime time;
    u64 due_ns = 0;
    u64 rest_ns = 0;
  };
  struct Event {
    int fd;
    u64 every_ns;                  // the timer goes off, until it is set anew
    u64 expected_ns;               // to go off first
    u64 rest_ns;                   // of the period of the last tick
    bool ticked = false;           // and its signal has not been seen yet
    u64 ticked_at_ns = 0;          // last
    std::optional<PerfRing> ring;  // of ticks, and of mappings that the thread makes
    bool tells_thread = false;     // not the recorder; not without a ring
  };
  static int open_event(pid_t tid, u64 first_ns);
  static u64 left_of_first(const Event& event);
  bool set_told(pid_t tid, Event& event, bool thread) const;
  static constexpr u64 never_ns = 1'000'000'000'000'000;  // of CPU time: 11 days
  void set_next(pid_t tid, u64 ns);
  u64* rest_of(pid_t tid);

  u64 period_ns_;
  int signal_;
  void take_records(Event& event);
  bool has_ticked(Event& event);
  Event* event_of(pid_t tid);
  TickMoments moments_;
  tsl::robin_map<int, pid_t> owners_;  // by file
  tsl::robin_map<pid_t, Event> events_;
  tsl::robin_map<pid_t, Polled> polled_;
  bool mappings_changed_ = false;
  std::string obstacle_;
};

}  // namespace pgokit::record
