#include "record/software/ticks.h"

#include <fcntl.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "record/system/clock.h"
#include "record/system/proc_status.h"

namespace pgokit::record {
namespace {

bool sends_signals(int fd) { return fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_ASYNC) == 0; }

u64 signals_in_use(pid_t tid) {
  auto own = restrictions_of(tid);
  return own.handled | own.blocked;
}

bool has_tick_signal(u64 signals) { return (signals >> (TickSource::thread_signal - 1) & 1) != 0; }

}  // namespace

u64 TickMoments::next(u64 period_ns, u64& rest_ns) {
  constexpr u64 least_ns = 10'000;  // the kernel's timers take no less
  auto mean = static_cast<double>(period_ns);
  if (times_ == TickTimes::memoryless)
    return least_ns + static_cast<u64>(std::exponential_distribution<>(1 / mean)(random_));
  auto into_next_ns = static_cast<u64>(std::uniform_real_distribution<>(0, mean)(random_));
  u64 wait_ns = rest_ns + into_next_ns;
  rest_ns = period_ns - into_next_ns;
  return std::max(wait_ns, least_ns);
}

TickSource::TickSource(u64 period_ns, TickTimes times, int signal)
    : period_ns_(period_ns), signal_(signal), moments_(times, static_cast<u32>(monotonic_ns())) {}

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
  attr.sample_type = PERF_SAMPLE_TIME;
  attr.use_clockid = 1;
  attr.clockid = CLOCK_MONOTONIC;
  attr.mmap = 1;  // a record for each new mapping of code
  return static_cast<int>(syscall(SYS_perf_event_open, &attr, tid, -1, -1, PERF_FLAG_FD_CLOEXEC));
}

void TickSource::add(pid_t pid, pid_t tid) {
  if (events_.contains(tid) || polled_.contains(tid)) return;
  u64 rest_ns = 0, first_ns = moments_.next(period_ns_, rest_ns);
  if (int fd = open_event(tid, first_ns); fd >= 0) {
    Event event{.fd = fd,
                .every_ns = first_ns,
                .expected_ns = monotonic_ns() + first_ns,
                .rest_ns = rest_ns,
                .ring = PerfRing::map(fd, 1)};
    // Who has just made the thread may have blocked all signals for that.
    if (set_told(tid, event, false) && sends_signals(fd)) {
      owners_[fd] = tid;
      events_.emplace(tid, std::move(event));
      return;
    }
    close(fd);
  }
  obstacle_ = std::strerror(errno);
  Polled polled;
  polled.rest_ns = rest_ns;
  if (!polled.time.open(pid, tid)) return;
  polled.due_ns = polled.time.now_ns() + first_ns;
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
void TickSource::keep(pid_t pid, pid_t tid, bool waits) {
  auto* event = event_of(tid);
  pollfd file{.fd = event ? event->fd : -1, .events = 0, .revents = 0};
  if (!event || poll(&file, 1, 0) != 0)
    remove(tid), add(pid, tid);
  else if (waits)
    event->expected_ns = monotonic_ns() + left_of_first(*event);
  else
    renew(tid);
  tell_thread(tid, signals_in_use(tid));
}

// Of the time to the first tick.
u64 TickSource::left_of_first(const Event& event) {
  u64 used_ns = 0;
  bool is_read = read(event.fd, &used_ns, sizeof used_ns) == sizeof used_ns;
  return is_read && used_ns < event.every_ns ? event.every_ns - used_ns : event.every_ns;
}

bool TickSource::is_from_event(pid_t tid, const siginfo_t& info) const {
  auto it = events_.find(tid);
  return it != events_.end() && info.si_signo == thread_signal && info.si_code > 0 &&
         info.si_code != SI_KERNEL && info.si_fd == it->second.fd;
}

TickSource::Event* TickSource::event_of(pid_t tid) {
  auto it = events_.find(tid);
  return it == events_.end() ? nullptr : &it.value();
}

bool TickSource::has_ticked(pid_t tid) {
  auto* event = event_of(tid);
  return event && has_ticked(*event);
}

u64 TickSource::ticked_at(pid_t tid) const {
  auto it = events_.find(tid);
  return it == events_.end() ? 0 : it->second.ticked_at_ns;
}

// The thread may run: between the two, the recorder's own signal must not go to it.
bool TickSource::set_told(pid_t tid, Event& event, bool thread) const {
  event.tells_thread = thread;
  f_owner_ex owner{F_OWNER_TID, thread ? tid : gettid()};
  auto set_owner = [&] { return fcntl(event.fd, F_SETOWN_EX, &owner) == 0; };
  auto set_signal = [&] {
    return fcntl(event.fd, F_SETSIG, thread ? thread_signal : signal_) == 0;
  };
  return thread ? set_signal() && set_owner() : set_owner() && set_signal();
}

void TickSource::tell_thread(pid_t tid, u64 in_use) {
  auto* event = event_of(tid);
  if (!event) return;
  bool thread = event->ring && !has_tick_signal(in_use);
  if (event->tells_thread != thread) set_told(tid, *event, thread);
}

u64* TickSource::rest_of(pid_t tid) {
  if (auto* event = event_of(tid)) return &event->rest_ns;
  auto it = polled_.find(tid);
  return it == polled_.end() ? nullptr : &it.value().rest_ns;
}

void TickSource::renew(pid_t tid) {
  if (auto* rest = rest_of(tid)) set_next(tid, moments_.next(period_ns_, *rest));
}

void TickSource::stop(pid_t tid) {
  constexpr u64 longer_than_windows_ns = 2'000'000;
  auto* event = event_of(tid);
  if (!event || event->every_ns < longer_than_windows_ns) set_next(tid, never_ns);
}

void TickSource::set_next(pid_t tid, u64 ns) {
  if (auto* event = event_of(tid)) {
    ioctl(event->fd, PERF_EVENT_IOC_PERIOD, &ns);
    event->every_ns = ns;
    event->expected_ns = monotonic_ns() + ns;
  } else if (auto it = polled_.find(tid); it != polled_.end()) {
    it.value().due_ns = it->second.time.now_ns() + ns;
  }
}

TickSource::Expected TickSource::expected(u64 from_ns) const {
  Expected first;
  for (const auto& [tid, event] : events_)
    if (event.expected_ns >= from_ns && event.expected_ns < first.at_ns)
      first = {tid, event.expected_ns};
  return first;
}

std::vector<pid_t> TickSource::overdue() {
  std::vector<pid_t> list;
  for (auto it = events_.begin(); it != events_.end(); ++it) {
    auto& event = it.value();
    if (!event.tells_thread) continue;
    take_records(event);
    if (!event.ticked || !has_tick_signal(restrictions_of(it->first).blocked)) continue;
    event.ticked = false;
    set_told(it->first, event, false);
    list.push_back(it->first);
  }
  return list;
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
    bool is_tick = header.type == PERF_RECORD_SAMPLE;
    if (is_tick && record.size() >= sizeof header + sizeof event.ticked_at_ns)
      std::memcpy(&event.ticked_at_ns, &record[sizeof header], sizeof event.ticked_at_ns);
    event.ticked |= is_tick || header.type == PERF_RECORD_LOST;
    mappings_changed_ |= !is_tick;
  });
}

std::vector<pid_t> TickSource::missed() {
  std::vector<pid_t> list;
  for (auto it = events_.begin(); it != events_.end(); ++it)
    if (!it->second.tells_thread && has_ticked(it.value())) list.push_back(it->first);
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
    if (polled.time.now_ns() < polled.due_ns) continue;
    renew(it->first);
    list.push_back(it->first);
  }
  return list;
}

}  // namespace pgokit::record
