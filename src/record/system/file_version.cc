#include "record/system/file_version.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <time.h>

namespace pgokit::record {
namespace {

i64 in_ns(const timespec& time) { return i64{time.tv_sec} * 1'000'000'000 + time.tv_nsec; }

// Some file systems count the seconds.
bool is_recent(i64 time_ns) {
  constexpr i64 recently_ns = 2'000'000'000;
  timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return time_ns > in_ns(now) - recently_ns;
}

}  // namespace

std::optional<FileVersion> FileVersion::of(pid_t tid, const Mapping& mapping) {
  if (mapping.inode == 0 || !mapping.path.starts_with('/')) return std::nullopt;
  struct stat facts;
  if (stat(fmt::format("/proc/{}/root{}", tid, mapping.path).c_str(), &facts) != 0 ||
      !S_ISREG(facts.st_mode) || facts.st_ino != mapping.inode)
    return std::nullopt;
  FileVersion version{.device = facts.st_dev,
                      .inode = facts.st_ino,
                      .size = static_cast<u64>(facts.st_size),
                      .modified_ns = in_ns(facts.st_mtim),
                      .changed_ns = in_ns(facts.st_ctim)};
  if (is_recent(version.modified_ns) || is_recent(version.changed_ns)) return std::nullopt;
  return version;
}

}  // namespace pgokit::record
