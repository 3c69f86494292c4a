#pragma once

// Takes what was counted out of a scratch area, which has no counts afterwards.
//
//   std::vector<EdgeCount> counts;
//   if (!drain_counts(memory, cache.scratch(n), cache.edges(), counts)) ...    // the process is gone
//   if (!drain_whole_run(memory, cache.scratch(n), cache.edges(), counts)) ... // as its copies count
//   if (!read_whole_run(memory, cache.scratch(n), cache.edges(), counts)) ...  // which stay there
//   if (!forget_targets(memory, cache.scratch(n))) ...                         // of those that log
//
// Layout: record/x86/scratch.h.

#include <vector>

#include "record/system/target_memory.h"

namespace pgokit::record {

// How often a branch was taken, by the number that the code cache has for it.
struct EdgeCount {
  u32 edge = 0;    // as in the ring, so those of indirect branches are marked
  u64 count = 0;   // at least 1
  u64 target = 0;  // of an indirect branch
};

// `edges`: how many the cache has. The thread that uses the area is stopped. What was counted is
// added to `counts`.
bool drain_counts(TargetMemory& memory, u64 area, size_t edges, std::vector<EdgeCount>& counts);
bool drain_whole_run(TargetMemory& memory, u64 area, size_t edges, std::vector<EdgeCount>& counts);
// Of an area that nobody is going to use.
bool read_whole_run(TargetMemory& memory, u64 area, size_t edges, std::vector<EdgeCount>& counts);
// There are no counts in areas with a log. What is forgotten is where indirect branches led to.
bool forget_targets(TargetMemory& memory, u64 area);

}  // namespace pgokit::record
