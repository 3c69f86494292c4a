#pragma once

// What each thread was called at a time, by a recording's COMM and FORK records.
//
//   ThreadNames names(recording, stacks.names);
//   if (const auto* name = names.find(sample.tid, sample.time)) use(stacks.names.text(*name));

#include <tsl/robin_map.h>

#include <vector>

#include "base/hash.h"
#include "base/names.h"
#include "perf/recording.h"

namespace pgokit::stacks {

class ThreadNames {
 public:
  ThreadNames(const perf::Recording& recording, Names& names);

  // Nothing: no record tells of the thread.
  const NameId* find(u32 tid, u64 time) const;

 private:
  struct Named {
    u64 time;
    NameId name;
  };
  tsl::robin_map<u32, std::vector<Named>, IntHash> threads_;  // each by time
};

}  // namespace pgokit::stacks
