#pragma once

// Which programs and libraries the samples of a recording fell into, for people; where branches were
// counted, which ones the branches were in.
//
//   auto programs = find_programs(recording);   // that with the largest share first
//   Totals all;
//   for (const Program& program : programs) all.add(program);
//   double share = all.share(programs[0]);      // 0 to 1
//
// Follows mappings, forks and execs by their times; does not look into the files. (Translating
// addresses for a profile is the work of the layer samples.)

#include "perf/recording.h"

namespace pgokit::perf {

struct Program {
  std::string path;      // "[kernel.kallsyms]", "[unknown]" for samples outside of all mappings
  std::string build_id;  // hexadecimal; empty where the recording does not tell
  u64 samples = 0;       // of a whole run that was counted: branches
  // Counted in windows, each weighted by the time that it stands for, or in the whole run. They tell
  // the shares of programs better than samples do, which have as many of a short window as of a
  // long one.
  u64 branches = 0;
};

// Of several programs together.
struct Totals {
  u64 samples = 0, branches = 0;

  void add(const Program& program);
  // What the shares are of: branches where any were counted, else samples.
  bool by_branches() const { return branches > 0; }
  u64 all() const { return by_branches() ? branches : samples; }
  u64 part(const Program& program) const {
    return by_branches() ? program.branches : program.samples;
  }
  double share(const Program& program) const;
};

std::vector<Program> find_programs(const Recording& recording, unsigned threads = 0);

}  // namespace pgokit::perf
