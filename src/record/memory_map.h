#pragma once

// The mappings of a process as /proc/PID/maps gives them.
//
//   auto map = TRY(MemoryMap::read(pid));
//   if (const auto* mapping = map.find(address)) ...
//
// Format: proc(5), "address perms offset dev inode pathname".

#include <sys/types.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/types.h"

namespace pgokit::record {

struct Mapping {
  u64 start = 0, end = 0;
  u64 offset = 0;
  u64 inode = 0;
  bool readable = false, writable = false, executable = false, shared = false;
  std::string path;  // empty for anonymous memory

  u64 size() const { return end - start; }
  // Code that does not change while the mapping stays: of a file, or the kernel's vdso.
  bool is_fixed_code() const {
    return executable && readable && !writable && (inode != 0 || path == "[vdso]");
  }
  bool operator==(const Mapping&) const = default;
};

class MemoryMap {
 public:
  static Result<MemoryMap> read(pid_t pid);
  static MemoryMap parse(std::string_view text);

  const std::vector<Mapping>& list() const { return list_; }
  const Mapping* find(u64 address) const;
  // The start of `size` free bytes with all of it less than `reach` away from `near_to`, 0 where
  // there are none. Keeps away from what grows: heaps, stacks, and the mappings next to them.
  u64 hole(u64 near_to, u64 size, u64 reach) const;

 private:
  std::vector<Mapping> list_;  // by address
};

}  // namespace pgokit::record
