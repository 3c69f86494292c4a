#pragma once

// Where perf events come from: the kernel. Tests have a source of their own, which hands over the
// records of a recording (test/support/replayed_events.h).
//
//   EventSource& events = kernel_events();
//   int fd = events.open(attr, {.pid = 4711, .cpu = 0});   // -errno where it is refused
//   auto ring = PerfRing::map(fd, 128);
//   events.enable(fd, true);
//
// Nothing is called per record: what is between two waits is read from the ring's own memory.

#include <linux/perf_event.h>
#include <poll.h>
#include <sys/types.h>

#include <span>

#include "base/types.h"

namespace pgokit::record {

// What an event counts, as perf_event_open(2) takes it.
struct EventTarget {
  pid_t pid = 0;  // 0: the caller. -1: all processes. The open folder of a control group
  int cpu = -1;   // -1: wherever the process runs
  u64 flags = 0;  // PERF_FLAG_PID_CGROUP
  bool is_machine() const { return pid == -1; }
  bool is_group() const { return flags & PERF_FLAG_PID_CGROUP; }
};

class EventSource {
 public:
  virtual ~EventSource() = default;

  // Processors that may be there, online or not.
  virtual int processors() const = 0;
  // A file descriptor, which the caller closes and PerfRing maps; -errno: there is none.
  virtual int open(const perf_event_attr& attr, const EventTarget& target) = 0;
  virtual u64 id_of(int fd) = 0;
  // Records of `fd` go into the ring of `to`, an event on the same processor.
  virtual bool redirect(int fd, int to) = 0;
  virtual void enable(int fd, bool on) = 0;
  // Until one of them has many records, or the time is over.
  virtual void wait(std::span<pollfd> files, int milliseconds) = 0;
};

EventSource& kernel_events();

}  // namespace pgokit::record
