#pragma once

// Draws accesses to memory from the log of a window (record/x86/memory_log.h).
//
//   AccessLog log;
//   thread.window.accesses = log.draw(memory, cache.scratch(n), header);   // it is stopped
//   for (const auto& one : thread.window.accesses.drawn) use(cache.access(one.number), one.address);

#include <random>
#include <vector>

#include "record/system/target_memory.h"
#include "record/x86/scratch.h"

namespace pgokit::record {

struct LoggedAccess {
  u32 number = 0;  // see CodeCache::access()
  u64 address = 0;
};

struct LoggedAccesses {
  double made = 0;                  // of all that the window made; in the mean that many
  std::vector<LoggedAccess> drawn;  // each with the same chance, in no order
};

class AccessLog {
 public:
  static constexpr size_t most_drawn = 256;

  // A counter with which a window is to begin.
  u64 begin() { return random_() & 0xffffffff; }
  // Nothing if the process is gone.
  LoggedAccesses draw(TargetMemory& memory, u64 area, const scratch::Header& header);

 private:
  std::mt19937_64 random_{1};  // the same for each recording
  std::vector<u64> addresses_;
  std::vector<u32> numbers_;
};

}  // namespace pgokit::record
