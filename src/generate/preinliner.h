#pragma once

// Decides for a context-sensitive profile which contexts the compiler shall inline, function by
// function from callers to callees. What is not inlined is added to the function's own profile.
//
//   preinline(profile, &sizes, {.cold_count = cold, .upper_count = hottest});
//   // contexts of more than one frame are those to be inlined, with should_be_inlined
//
// Order: docs/llvm-profgen.md names the steps. Source of truth:
// llvm/tools/llvm-profgen/CSPreInliner.cpp.

#include "generate/inline_sizes.h"

namespace pgokit::generate {

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

// `sizes`: null: the number of places in the body stands for a function's size.
void preinline(profile::Profile& profile, const InlineSizes* sizes,
               const PreinlineOptions& options);

}  // namespace pgokit::generate
