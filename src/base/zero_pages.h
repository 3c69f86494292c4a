#pragma once

// A large table of zeros, of which only the pages that are touched take memory.
//
//   ZeroPages table(size);
//   if (!table) return fail("no memory ...");
//   if (table[i] == 0) table[i] = 1;
//
// For tables that several threads look at before they write. Ordinary memory has one page of zeros
// for all that is only read, and the first write to such a page interrupts every other thread of
// the process, as each has to forget where the page was; here a page is there from the first look.

#include <sys/mman.h>

#include <utility>

#include "base/types.h"

namespace pgokit {

class ZeroPages {
 public:
  ZeroPages() = default;
  // False afterwards where there is no memory.
  explicit ZeroPages(size_t size) : size_(size) {
    void* pages = mmap(nullptr, size, PROT_READ | PROT_WRITE,
                       MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (pages != MAP_FAILED) data_ = static_cast<u8*>(pages);
  }
  ZeroPages(ZeroPages&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(other.size_) {}
  ZeroPages& operator=(ZeroPages&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~ZeroPages() {
    if (data_) munmap(data_, size_);
  }

  explicit operator bool() const { return data_ != nullptr; }
  u8& operator[](size_t at) const { return data_[at]; }

 private:
  u8* data_ = nullptr;
  size_t size_ = 0;
};

}  // namespace pgokit
