#include "record/system/cpu_time.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <utility>

namespace pgokit::record {

CpuTime::CpuTime(CpuTime&& other) noexcept : file_(std::exchange(other.file_, -1)) {}

CpuTime& CpuTime::operator=(CpuTime&& other) noexcept {
  std::swap(file_, other.file_);
  return *this;
}

CpuTime::~CpuTime() {
  if (file_ >= 0) close(file_);
}

bool CpuTime::open(pid_t pid, pid_t tid) {
  if (file_ >= 0) close(file_);
  file_ = ::open(fmt::format("/proc/{}/task/{}/schedstat", pid, tid).c_str(), O_RDONLY | O_CLOEXEC);
  return is_open();
}

// The first number of schedstat is the time spent on the processor.
u64 CpuTime::now_ns() const {
  char text[64];
  auto n = file_ < 0 ? 0 : pread(file_, text, sizeof text - 1, 0);
  if (n <= 0) return 0;
  text[n] = 0;
  return std::strtoull(text, nullptr, 10);
}

}  // namespace pgokit::record
