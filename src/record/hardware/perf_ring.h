#pragma once

// The ring buffer through which the kernel hands over the records of a perf event.
//
//   auto ring = PerfRing::map(fd, 128);          // pages; a power of two
//   if (ring) ring->drain([&](Bytes record) { ... });
//
// Source of truth: include/uapi/linux/perf_event.h, struct perf_event_mmap_page.

#include <optional>
#include <utility>
#include <vector>

#include "base/types.h"

namespace pgokit::record {

class PerfRing {
 public:
  // Nothing where the kernel has no memory for it.
  static std::optional<PerfRing> map(int fd, size_t pages);
  PerfRing(PerfRing&& other) noexcept
      : page_(std::exchange(other.page_, nullptr)), size_(other.size_) {}
  PerfRing& operator=(PerfRing&& other) noexcept {
    std::swap(page_, other.page_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~PerfRing();

  bool has_records() const;
  // Each record is whole, and valid during the call only.
  template <class F>
  void drain(F each) {
    u64 end = head();
    u64 at = tail();
    while (at < end) {
      Bytes record = record_at(at, end);
      if (record.empty()) break;
      each(record);
      at += record.size();
    }
    set_tail(end);
  }

 private:
  PerfRing(void* page, size_t size) : page_(page), size_(size) {}
  u64 head() const;
  u64 tail() const;
  void set_tail(u64 tail);
  Bytes record_at(u64 at, u64 end);

  void* page_ = nullptr;
  size_t size_ = 0;  // of the data, behind the first page
  std::vector<u8> joined_;
};

}  // namespace pgokit::record
