#pragma once

// Whether a mapped file is still what it was, without a look at its bytes.
//
//   auto before = FileVersion::of(tid, mapping);         // then its bytes are read
//   auto now = FileVersion::of(other, other_mapping);
//   if (before && now == before) ...                     // they would be the same now
//
// It says nothing of the pages that a process has written to itself (software/patched_pages.h).

#include <sys/types.h>

#include <optional>

#include "record/system/memory_map.h"

namespace pgokit::record {

struct FileVersion {
  u64 device = 0, inode = 0, size = 0;
  i64 modified_ns = 0, changed_ns = 0;

  // As a thread sees the file that it has mapped. Nothing where that cannot be told: the path leads
  // to another file by now, or the file has been changed just before, so that another change would
  // not show.
  static std::optional<FileVersion> of(pid_t tid, const Mapping& mapping);
  bool operator==(const FileVersion&) const = default;
};

}  // namespace pgokit::record
