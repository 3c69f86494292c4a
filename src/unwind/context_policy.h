#pragma once

// How much of a calling context is kept, from the unwinder to the profile.
//
//   unwind::ContextPolicy policy{.max_depth = 8};

#include <algorithm>

#include "base/types.h"

namespace pgokit::unwind {

struct ContextPolicy {
  i64 longest_recursion = -1;  // repeated blocks that are left out; negative: of any length
  i64 max_depth = -1;          // callers that a context keeps; negative: all
  i64 max_call_sites = -1;     // ... probes: before inlined calls are put between them
  // Probes: tail calls are put back, where at most so many in a row are missing.
  bool infer_missing_frames = true;
  u64 max_search_depth = ~u64{0};

  // Negative: larger than all.
  static u32 limit(i64 depth) {
    return static_cast<u32>(std::min<u64>(static_cast<u64>(depth), ~u32{0}));
  }
};

}  // namespace pgokit::unwind
