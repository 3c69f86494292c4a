#pragma once

// Takes what was counted out of a scratch area, which has no counts afterwards.
//
//   std::vector<EdgeCount> counts;
//   if (!drain_window(memory, cache.scratch(n), cache.edges(), counts)) ...    // the process is gone
//   if (!drain_whole_run(memory, cache.scratch(n), cache.edges(), counts)) ... // of a whole run
//   if (!read_whole_run(memory, cache.scratch(n), cache.edges(), counts)) ...  // which stay there
//   if (!forget_targets(memory, cache.scratch(n))) ...                         // where they led to
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
// added to `counts`. Where indirect branches led to stays known in the next window.
bool drain_window(TargetMemory& memory, u64 area, size_t edges, std::vector<EdgeCount>& counts);
// Nothing leads there any more afterwards.
bool drain_whole_run(TargetMemory& memory, u64 area, size_t edges, std::vector<EdgeCount>& counts);
// Of an area that nobody is going to use.
bool read_whole_run(TargetMemory& memory, u64 area, size_t edges, std::vector<EdgeCount>& counts);
// What is forgotten is where indirect branches led to, with the counts of that: there are none in
// areas with a log, nor of a window that is over.
bool forget_targets(TargetMemory& memory, u64 area);

}  // namespace pgokit::record
