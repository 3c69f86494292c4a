#include "record/software/patched_pages.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <utility>

namespace pgokit::record {
namespace {

constexpr u64 page_size = 4096;
constexpr size_t most_read = 512;    // entries
constexpr size_t longest_gap = 256;  // that costs less than another call
constexpr u64 present = u64{1} << 63, swapped = u64{1} << 62, of_file = u64{1} << 61;

bool is_patched(u64 entry) { return (entry & (present | swapped)) && !(entry & of_file); }

}  // namespace

PatchedPages PatchedPages::open(pid_t tid) {
  return PatchedPages(::open(fmt::format("/proc/{}/pagemap", tid).c_str(), O_RDONLY | O_CLOEXEC));
}

PatchedPages::PatchedPages(PatchedPages&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}

PatchedPages::~PatchedPages() {
  if (fd_ >= 0) close(fd_);
}

bool PatchedPages::any_patched(std::span<const u64> addresses) const {
  std::array<u64, most_read> entries;
  while (!addresses.empty() && fd_ >= 0) {
    u64 first = addresses[0] / page_size;
    size_t n = 1;
    while (n < addresses.size() && addresses[n] / page_size - first < most_read &&
           (addresses[n] - addresses[n - 1]) / page_size <= longest_gap)
      ++n;
    size_t size = (addresses[n - 1] / page_size - first + 1) * 8;
    if (pread(fd_, entries.data(), size, static_cast<off_t>(first * 8)) !=
        static_cast<ssize_t>(size))
      return true;
    for (u64 address : addresses.first(n))
      if (is_patched(entries[address / page_size - first])) return true;
    addresses = addresses.subspan(n);
  }
  return false;
}

}  // namespace pgokit::record
