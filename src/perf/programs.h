#pragma once

// Which programs and libraries the samples of a recording fell into, for people; where branches were
// counted and nothing sampled, which ones the branches were in.
//
//   for (const Program& program : find_programs(recording)) ...   // most samples first
//
// Follows mappings, forks and execs by their times; does not look into the files. (Translating
// addresses for a profile is the work of the layer samples.)

#include "perf/recording.h"

namespace pgokit::perf {

struct Program {
  std::string path;      // "[kernel.kallsyms]", "[unknown]" for samples outside of all mappings
  std::string build_id;  // hexadecimal; empty where the recording does not tell
  u64 samples = 0;
};

std::vector<Program> find_programs(const Recording& recording, unsigned threads = 0);

}  // namespace pgokit::perf
