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
#include <tuple>
#include <vector>

#include "base/file.h"
#include "base/result.h"
#include "base/types.h"

namespace pgokit::record {

struct Mapping {
  u64 start = 0, end = 0;
  u64 offset = 0;
  u64 device = 0, inode = 0;
  bool readable = false, writable = false, executable = false, shared = false;
  bool written_elsewhere = false;  // another mapping of the file lets the process write to it
  std::string path;                // empty for anonymous memory

  u64 size() const { return end - start; }
  // Code that changes only where the process writes into its own copy (patched_pages.h): that of a
  // file which it does not share, or the kernel's vdso.
  bool is_fixed_code() const {
    bool of_file = inode != 0 && !shared && !written_elsewhere && !path.starts_with("/memfd:");
    return executable && readable && !writable && (of_file || is_vdso());
  }
  // In no file: code that the process has generated, mostly.
  bool is_generated() const {
    return executable && (inode == 0 || path.starts_with("/memfd:")) && !path.starts_with("[v");
  }
  bool is_vdso() const { return inode == 0 && path == "[vdso]"; }
  bool operator==(const Mapping&) const = default;
};

// Which file is mapped. Its path may be that of another one later, or in another container.
struct FileKey {
  u64 device = 0, inode = 0;
  std::string path;

  static FileKey of(const Mapping& mapping) {
    return {mapping.device, mapping.inode, mapping.path};
  }
};
// For maps, which find mappings then.
struct ByFile {
  using is_transparent = void;
  template <class A, class B>
  bool operator()(const A& a, const B& b) const {
    return std::tie(a.device, a.inode, a.path) < std::tie(b.device, b.inode, b.path);
  }
};

// The file itself, seen by a thread that has it mapped. Not whatever else has the name by now.
Result<MappedFile> open_mapped(pid_t tid, const Mapping& mapping);

class MemoryMap {
 public:
  static Result<MemoryMap> read(pid_t tid);
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
