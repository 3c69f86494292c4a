#include "record/hardware/event_source.h"

#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

namespace pgokit::record {
namespace {

class KernelEvents : public EventSource {
 public:
  int processors() const override { return static_cast<int>(sysconf(_SC_NPROCESSORS_CONF)); }

  int open(const perf_event_attr& attr, const EventTarget& target) override {
    auto fd = static_cast<int>(syscall(SYS_perf_event_open, &attr, target.pid, target.cpu, -1,
                                       target.flags | PERF_FLAG_FD_CLOEXEC));
    return fd < 0 ? -errno : fd;
  }

  u64 id_of(int fd) override {
    u64 id = 0;
    ioctl(fd, PERF_EVENT_IOC_ID, &id);
    return id;
  }

  bool redirect(int fd, int to) override { return ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, to) == 0; }

  void enable(int fd, bool on) override {
    ioctl(fd, on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0);
  }

  void wait(std::span<pollfd> files, int milliseconds) override {
    poll(files.data(), files.size(), milliseconds);
  }
};

}  // namespace

EventSource& kernel_events() {
  static KernelEvents events;
  return events;
}

}  // namespace pgokit::record
