#pragma once

// One event on many threads and processors, and what it records: a ring for each processor.
//
//   EventRings rings(events, rung, attr);
//   TRY(rings.open({.pid = 4711}));
//   rings.enable(true);
//   rings.wait(100);
//   rings.drain([&](Bytes record) { ... });
//
// The events of a processor share its ring: locked memory is scarce for unprivileged users.

#include <span>
#include <utility>
#include <vector>

#include "base/result.h"
#include "record/hardware/branch_events.h"
#include "record/hardware/perf_ring.h"

namespace pgokit::record {

class EventRings {
 public:
  // Of a ring; with the page before them, what an unprivileged user may have for each processor.
  static constexpr size_t pages = 128;

  EventRings(EventSource& events, Rung rung, const perf_event_attr& attr)
      : events_(events), rung_(std::move(rung)), attr_(attr) {}
  ~EventRings();
  EventRings(const EventRings&) = delete;

  // On all processors, whatever target.cpu is. False: the process has ended.
  Result<bool> open(EventTarget target);
  void enable(bool on);
  // Until there are many records, or the time is over.
  void wait(int milliseconds);
  // What is there: processor by processor, each record whole, valid during the call only.
  template <class F>
  void drain(F each) {
    for (auto& [processor, ring] : rings_) ring.drain(each);
  }

  // As the kernel has taken it: an older one knows less.
  const perf_event_attr& attr() const { return attr_; }
  std::span<const u64> ids() const { return ids_; }

 private:
  struct OfProcessor {
    int processor;
    PerfRing ring;
  };
  Status add(int fd, int processor);

  EventSource& events_;
  Rung rung_;
  perf_event_attr attr_;
  std::vector<int> files_;
  std::vector<pollfd> polled_;
  std::vector<u64> ids_;
  std::vector<OfProcessor> rings_;
  std::vector<int> owners_;  // the file of each ring
};

}  // namespace pgokit::record
