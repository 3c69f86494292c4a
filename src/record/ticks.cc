#include "record/ticks.h"

#include <fcntl.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace pgokit::record {

TickSource::TickSource(u64 period_ns, int signal) : period_ns_(period_ns), signal_(signal) {}

TickSource::~TickSource() {
  for (const auto& [tid, event] : events_) close(event.fd);
}

int TickSource::open_event(pid_t tid) {
  perf_event_attr attr{};
  attr.type = PERF_TYPE_SOFTWARE;
  attr.size = sizeof attr;
  attr.config = PERF_COUNT_SW_CPU_CLOCK;
  attr.sample_period = period_ns_;
  attr.exclude_kernel = attr.exclude_hv = 1;
  attr.wakeup_events = 1;
  attr.mmap = 1;  // a record for each new mapping of code
  auto fd =
      static_cast<int>(syscall(SYS_perf_event_open, &attr, tid, -1, -1, PERF_FLAG_FD_CLOEXEC));
  if (fd < 0) return fd;
  f_owner_ex owner{F_OWNER_TID, gettid()};
  if (fcntl(fd, F_SETOWN_EX, &owner) == 0 && fcntl(fd, F_SETSIG, signal_) == 0 &&
      fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_ASYNC) == 0)
    return fd;
  close(fd);
  return -1;
}

void TickSource::add(pid_t pid, pid_t tid) {
  if (events_.contains(tid) || polled_.contains(tid)) return;
  if (int fd = open_event(tid); fd >= 0) {
    events_.emplace(tid, Event{fd, PerfRing::map(fd, 1)});
    owners_[fd] = tid;
    return;
  }
  obstacle_ = std::strerror(errno);
  Polled polled;
  if (!polled.time.open(pid, tid)) return;
  polled.last_ns = polled.time.now_ns();
  polled_.emplace(tid, std::move(polled));
}

void TickSource::remove(pid_t tid) {
  if (auto it = events_.find(tid); it != events_.end()) {
    close(it->second.fd);
    owners_.erase(it->second.fd);
    events_.erase(it);
  }
  polled_.erase(tid);
}

pid_t TickSource::thread_of(const siginfo_t& info) const {
  if (info.si_signo != signal_) return 0;
  auto it = owners_.find(info.si_fd);
  return it == owners_.end() ? 0 : it->second;
}

bool TickSource::mappings_changed() {
  bool changed = !polled_.empty();
  for (auto it = events_.begin(); it != events_.end(); ++it) {
    auto& ring = it.value().ring;
    if (!ring) changed = true;
    if (!ring || !ring->has_records()) continue;
    ring->drain([&](Bytes record) {
      perf_event_header header;
      std::memcpy(&header, record.data(), sizeof header);
      changed |= header.type != PERF_RECORD_SAMPLE;
    });
  }
  return changed;
}

std::vector<pid_t> TickSource::due() {
  std::vector<pid_t> list;
  for (auto it = polled_.begin(); it != polled_.end(); ++it) {
    auto& polled = it.value();
    u64 now = polled.time.now_ns();
    if (now - polled.last_ns < period_ns_) continue;
    polled.last_ns = now;
    list.push_back(it->first);
  }
  return list;
}

}  // namespace pgokit::record
