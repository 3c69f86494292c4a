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

// The three numbers of schedstat.
CpuTime::Times CpuTime::now() const {
  char text[64];
  auto n = file_ < 0 ? 0 : pread(file_, text, sizeof text - 1, 0);
  if (n <= 0) return {};
  text[n] = 0;
  char* end = nullptr;
  u64 used_ns = std::strtoull(text, &end, 10);
  u64 waited_ns = std::strtoull(end, &end, 10);
  return {used_ns, waited_ns, std::strtoull(end, nullptr, 10)};
}

}  // namespace pgokit::record
