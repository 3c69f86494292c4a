#pragma once

// Counts as text of AutoFDO's tools (`sample_merger` writes it, `create_llvm_prof --profiler=text`
// reads it) and of simpleperf's `inject --output autofdo`. A raw profile (samples/raw_profile.h)
// with the sampled addresses between ranges and branches, and other offsets:
//
//   2                       number of ranges
//   860-871:193             start-last:count, hexadecimal
//   876-881:196
//   1                       number of sampled addresses
//   871:12                  address:count
//   1                       number of branches
//   871->780:198            from->to:count; 0 is outside of the program
//   // build_id: 0x3f01...  these lines come from simpleperf
//   // /system/lib64/libc.so
//
// Several programs follow each other, each with the lines that name it.
//
// simpleperf's offsets are from the address of the first segment, those of AutoFDO's tools are in
// the file, and nothing in the text says which. They differ where lld has linked the program.

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "program/program.h"
#include "samples/counts.h"

namespace pgokit::samples {

struct AutofdoCounts {
  Counts counts;         // offsets in place of addresses
  u64 addresses = 0;     // how many were sampled
  std::string build_id;  // hexadecimal; empty: not told
  std::string path;      // as above
};

bool looks_like_autofdo_text(std::string_view text);

Result<std::vector<AutofdoCounts>> read_autofdo_text(std::string_view text);

// Those of one program, added up; `build_id` (hexadecimal) and `name` tell which where there are
// several. Fails where its text tells another build id, unless `ignore_build_id`.
Result<Counts> autofdo_counts_of(std::vector<AutofdoCounts> all, std::string_view name,
                                 std::string_view build_id, bool ignore_build_id);

// Offsets of either kind become addresses: it is the kind by which more branches come from branches
// of the program.
Counts placed_autofdo_counts(const Counts& offsets, const program::Program& program);

}  // namespace pgokit::samples
