#pragma once

// Which pages of a program's files have been written to in memory: by the program itself after
// mprotect(), through its /proc/self/mem, by a debugger or a uprobe.
//
//   auto pages = PatchedPages::open(tid);
//   if (pages.patched(address)) ...                // the bytes are those of this process only
//   if (pages.any_patched(sorted)) ...
//
// A page of a private mapping is the file's until it is written to; /proc/PID/pagemap tells.

#include <sys/types.h>

#include <span>

#include "base/types.h"

namespace pgokit::record {

class PatchedPages {
 public:
  static PatchedPages open(pid_t tid);
  PatchedPages(PatchedPages&& other) noexcept;
  PatchedPages& operator=(PatchedPages&&) = delete;
  ~PatchedPages();

  bool patched(u64 address) const { return any_patched({&address, 1}); }
  // `addresses` are of pages, sorted.
  bool any_patched(std::span<const u64> addresses) const;

 private:
  explicit PatchedPages(int fd) : fd_(fd) {}
  int fd_;
};

}  // namespace pgokit::record
