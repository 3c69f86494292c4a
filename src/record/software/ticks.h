#pragma once

// When is a thread due for a sample? After each period of its own CPU time; the first time after a
// random part of a period, so that threads that use less have their share of the samples.
//
//   TickSource ticks(period_ns, signal);       // `signal` is blocked in this thread
//   ticks.add(pid, tid);
//   if (pid_t due = ticks.thread_of(info)) ...            // at each signal
//   if (ticks.polls()) for (pid_t due : ticks.due()) ...  // at least every period
//
// A software clock event of perf_event_open() for each thread gives exact ticks. Where that call is
// not permitted, the CPU time of each thread is read from /proc at each period.

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

class TickSource {
 public:
  TickSource(u64 period_ns, int signal);
  ~TickSource();
  TickSource(const TickSource&) = delete;

  void add(pid_t pid, pid_t tid);
  void remove(pid_t tid);
  // A thread that executes another program is the same thread to the kernel, mostly. Its next tick
  // comes when it would have come.
  void keep(pid_t pid, pid_t tid);
  // 0: not one of ours.
  pid_t thread_of(const siginfo_t& info);
  // Those whose signals there was no room for in the queue: SIGIO came instead.
  std::vector<pid_t> missed();

  // Threads that have no event of their own have to be polled for.
  bool polls() const { return !polled_.empty(); }
  std::vector<pid_t> due();
  u64 period_ns() const { return period_ns_; }
  // From the next tick of each thread on.
  void set_period(u64 period_ns) { period_ns_ = period_ns; }
  // Code has been mapped into one of the processes since the last call; always true without events.
  bool mappings_changed();
  // Why there are no events, empty where there are.
  const std::string& obstacle() const { return obstacle_; }

 private:
  struct Polled {
    CpuTime time;
    u64 last_ns = 0;
  };
  int open_event(pid_t tid, u64 first_ns);
  u64 part_of_period() { return random_() % period_ns_ + 1; }

  u64 period_ns_;
  int signal_;
  struct Event {
    int fd;
    u64 period_ns;                 // what the kernel knows; at first a part of one
    bool ticked = false;           // and its signal has not been seen yet
    std::optional<PerfRing> ring;  // of ticks, and of mappings that the thread makes
  };
  void take_records(Event& event);
  bool has_ticked(Event& event);
  std::minstd_rand random_;
  tsl::robin_map<int, pid_t> owners_;  // by file
  tsl::robin_map<pid_t, Event> events_;
  tsl::robin_map<pid_t, Polled> polled_;
  bool mappings_changed_ = false;
  std::string obstacle_;
};

}  // namespace pgokit::record
