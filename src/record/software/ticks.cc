#include "record/software/ticks.h"

#include <fcntl.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "record/system/clock.h"

namespace pgokit::record {

TickSource::TickSource(u64 period_ns, int signal)
    : period_ns_(period_ns), signal_(signal), random_(static_cast<u32>(monotonic_ns())) {}

TickSource::~TickSource() {
  for (const auto& [tid, event] : events_) close(event.fd);
}

int TickSource::open_event(pid_t tid, u64 first_ns) {
  perf_event_attr attr{};
  attr.type = PERF_TYPE_SOFTWARE;
  attr.size = sizeof attr;
  attr.config = PERF_COUNT_SW_CPU_CLOCK;
  attr.sample_period = first_ns;
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
  u64 first_ns = part_of_period();
  if (int fd = open_event(tid, first_ns); fd >= 0) {
    events_.emplace(tid, Event{.fd = fd, .period_ns = first_ns, .ring = PerfRing::map(fd, 1)});
    owners_[fd] = tid;
    return;
  }
  obstacle_ = std::strerror(errno);
  Polled polled;
  if (!polled.time.open(pid, tid)) return;
  polled.last_ns = polled.time.now_ns() - (period_ns_ - first_ns);
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

// Of a program that may do more than its user the kernel ends the events.
void TickSource::keep(pid_t pid, pid_t tid) {
  auto it = events_.find(tid);
  pollfd event{.fd = it == events_.end() ? -1 : it->second.fd, .events = 0, .revents = 0};
  if (event.fd >= 0 && poll(&event, 1, 0) == 0) return;
  remove(tid);
  add(pid, tid);
}

pid_t TickSource::thread_of(const siginfo_t& info) {
  if (info.si_signo != signal_) return 0;
  auto it = owners_.find(info.si_fd);
  if (it == owners_.end()) return 0;
  return has_ticked(events_.find(it->second).value()) ? it->second : 0;
}

// A ring that fills sends a signal too, which is no tick. Without a ring there is no other.
bool TickSource::has_ticked(Event& event) {
  take_records(event);
  if (event.ring && !std::exchange(event.ticked, false)) return false;
  // Each at its next tick, not all at once: it takes as long as a tick.
  if (std::exchange(event.period_ns, period_ns_) != period_ns_)
    ioctl(event.fd, PERF_EVENT_IOC_PERIOD, &period_ns_);
  return true;
}

void TickSource::take_records(Event& event) {
  if (!event.ring) {
    mappings_changed_ = true;
    return;
  }
  if (!event.ring->has_records()) return;
  event.ring->drain([&](Bytes record) {
    perf_event_header header;
    std::memcpy(&header, record.data(), sizeof header);
    event.ticked |= header.type == PERF_RECORD_SAMPLE || header.type == PERF_RECORD_LOST;
    mappings_changed_ |= header.type != PERF_RECORD_SAMPLE;
  });
}

std::vector<pid_t> TickSource::missed() {
  std::vector<pid_t> list;
  for (auto it = events_.begin(); it != events_.end(); ++it)
    if (has_ticked(it.value())) list.push_back(it->first);
  return list;
}

bool TickSource::mappings_changed() {
  for (auto it = events_.begin(); it != events_.end(); ++it) take_records(it.value());
  return std::exchange(mappings_changed_, false) || !polled_.empty();
}

std::vector<pid_t> TickSource::due() {
  std::vector<pid_t> list;
  for (auto it = polled_.begin(); it != polled_.end(); ++it) {
    auto& polled = it.value();
    u64 now = polled.time.now_ns();
    if (static_cast<i64>(now - polled.last_ns) < static_cast<i64>(period_ns_)) continue;
    polled.last_ns = now;
    list.push_back(it->first);
  }
  return list;
}

}  // namespace pgokit::record
