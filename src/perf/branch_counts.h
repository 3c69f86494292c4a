#pragma once

// How often each branch was taken in the stretches of a run (windows) that pgokit's recorder has
// counted whole, or in all of it: a feature of its recordings that other programs read over.
//
//   BranchCounts counts{.files = {{.path = "/bin/app"}}};
//   counts.branches.push_back({.from = {0, 0x1136}, .to = {0, 0x1120}, .count = 7});
//   writer.features().branch_counts = encode(counts);
//   ...
//   BranchCounts same = TRY(decode_branch_counts(recording.features().branch_counts));
//
// Layout: docs/formats/perf-data.md.

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/types.h"
#include "perf/windows.h"

namespace pgokit::perf {

struct BranchCounts {
  struct File {
    std::string_view path;
    Bytes build_id;  // empty: it has none
  };
  struct Place {
    static constexpr u32 nowhere = u32(-1);
    u32 file = nowhere;  // of `files`; nowhere: in code that no file has
    u64 offset = 0;      // in the file
    auto operator<=>(const Place&) const = default;
  };
  struct Branch {
    Place from, to;
    u64 count = 0;
    auto operator<=>(const Branch&) const = default;
  };
  // Where stretches begin and end: at the first instruction that was counted, and at the first that
  // was not.
  struct Limit {
    Place at;
    u64 count = 0;
    auto operator<=>(const Limit&) const = default;
  };

  u64 scale = 1;         // counts are in units of 1 / scale
  Windows windows = {};  // none: all was counted
  // All was counted, but only from attaching on, or until the recorder's time was over.
  bool part_of_run = false;
  std::vector<File> files;
  std::vector<Branch> branches;  // ascending, each once, like the others
  std::vector<Limit> begun, ended;

  // While it was recorded, or in some windows only.
  bool of_all() const { return windows.number == 0 && !branches.empty(); }
  bool of_whole_run() const { return of_all() && !part_of_run; }
  // How often a run of which all is counted went on uncounted: in code that is in no file, as it is
  // generated at run time.
  u64 uncounted_stretches() const;
};

std::string encode(const BranchCounts& counts);
// Paths and build ids are views of `bytes`.
Result<BranchCounts> decode_branch_counts(Bytes bytes);

}  // namespace pgokit::perf
