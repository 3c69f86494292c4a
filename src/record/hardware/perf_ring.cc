#include "record/hardware/perf_ring.h"

#include <linux/perf_event.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>

namespace pgokit::record {
namespace {

size_t page_size() { return static_cast<size_t>(sysconf(_SC_PAGESIZE)); }

perf_event_mmap_page& control(void* page) { return *static_cast<perf_event_mmap_page*>(page); }

}  // namespace

std::optional<PerfRing> PerfRing::map(int fd, size_t pages) {
  size_t size = pages * page_size();
  void* page = mmap(nullptr, size + page_size(), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (page == MAP_FAILED) return std::nullopt;
  return PerfRing(page, size);
}

PerfRing::~PerfRing() {
  if (page_) munmap(page_, size_ + page_size());
}

u64 PerfRing::head() const {
  return std::atomic_ref(control(page_).data_head).load(std::memory_order_acquire);
}

u64 PerfRing::tail() const { return control(page_).data_tail; }

bool PerfRing::has_records() const { return head() != tail(); }

void PerfRing::set_tail(u64 tail) {
  std::atomic_ref(control(page_).data_tail).store(tail, std::memory_order_release);
}

// One that lies around the end of the buffer is put together.
Bytes PerfRing::record_at(u64 at, u64 end) {
  const u8* data = static_cast<const u8*>(page_) + page_size();
  size_t offset = at % size_;  // a multiple of 8, so the header lies in one piece
  perf_event_header header;
  std::memcpy(&header, data + offset, sizeof header);
  if (header.size < sizeof header || header.size > end - at) return {};
  if (offset + header.size <= size_) return {data + offset, header.size};
  size_t first = size_ - offset;
  joined_.assign(data + offset, data + size_);
  joined_.insert(joined_.end(), data, data + (header.size - first));
  return joined_;
}

}  // namespace pgokit::record
