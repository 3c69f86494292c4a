#include "record/hardware/event_rings.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace pgokit::record {

EventRings::~EventRings() {
  for (int fd : files_) close(fd);
}

Result<bool> EventRings::open(EventTarget target) {
  size_t before = files_.size();
  for (target.cpu = 0; target.cpu < events_.processors(); ++target.cpu) {
    int fd = events_.open(attr_, target);
    if (fd == -EINVAL && attr_.build_id) {  // before Linux 5.12
      attr_.build_id = 0;
      fd = events_.open(attr_, target);
    }
    if (fd == -ENODEV) continue;  // not online
    if (fd == -ESRCH) return false;
    if (fd == -EMFILE)
      return fail("too many threads and processors for the files that may be open (ulimit -n)");
    if (fd < 0) return fail("{}: {}", rung_.name, explain(-fd, rung_, target));
    TRY(add(fd, target.cpu));
  }
  if (files_.size() == before) return fail("{}: {}", rung_.name, explain(ENODEV, rung_, target));
  return true;
}

Status EventRings::add(int fd, int processor) {
  files_.push_back(fd);
  polled_.push_back({fd, POLLIN, 0});
  ids_.push_back(events_.id_of(fd));
  auto own = std::ranges::find(rings_, processor, &OfProcessor::processor);
  if (own != rings_.end()) {
    if (events_.redirect(fd, owners_[static_cast<size_t>(own - rings_.begin())])) return {};
    return fail("{}: the kernel does not let threads share a ring: {}", rung_.name,
                std::strerror(errno));
  }
  auto ring = PerfRing::map(fd, pages);
  if (!ring)
    return fail("no memory for the kernel's records: {} (kernel.perf_event_mlock_kb)",
                std::strerror(errno));
  rings_.push_back({processor, std::move(*ring)});
  owners_.push_back(fd);
  return {};
}

void EventRings::enable(bool on) {
  for (int fd : files_) events_.enable(fd, on);
}

// An event whose threads have all ended is always ready; what they did is in the ring.
void EventRings::wait(int milliseconds) {
  events_.wait(polled_, milliseconds);
  for (auto& one : polled_)
    if (one.revents & ~POLLIN) one.fd = -1;
}

}  // namespace pgokit::record
