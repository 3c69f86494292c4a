#include "record/system/idle_limit.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <string>
#include <string_view>

namespace pgokit::record {
namespace {

std::string idle_driver() {
  int file = open("/sys/devices/system/cpu/cpuidle/current_driver", O_RDONLY | O_CLOEXEC);
  if (file < 0) return {};
  std::array<char, 64> text;
  auto n = read(file, text.data(), text.size());
  close(file);
  std::string_view line(text.data(), n > 0 ? static_cast<size_t>(n) : 0);
  return std::string(line.substr(0, line.find('\n')));
}

// The first sleep of a real processor ends within a microsecond or two, and leaves its caches as they
// are. With haltpoll, the driver of virtual machines, the only way not to sleep is to turn in a
// loop, which is not for a large machine of which a program uses a part.
int most_us_to_wake(std::string_view driver) {
  constexpr long most_turning = 4;
  if (driver.empty() || driver == "none") return -1;
  if (driver != "haltpoll") return 2;
  return sysconf(_SC_NPROCESSORS_ONLN) <= most_turning ? 0 : -1;
}

}  // namespace

IdleLimit::IdleLimit() : most_us_(most_us_to_wake(idle_driver())) {}

void IdleLimit::set(bool kept) {
  if (kept == is_kept() || most_us_ < 0) return;
  if (kept) file_ = open("/dev/cpu_dma_latency", O_WRONLY | O_CLOEXEC);
  if (kept && (file_ < 0 || write(file_, &most_us_, sizeof most_us_) == sizeof most_us_)) return;
  close(file_);
  file_ = -1;
}

}  // namespace pgokit::record
