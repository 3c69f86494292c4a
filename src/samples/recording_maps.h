#pragma once

// Where a recording says that the program was, in which process and when: the first of the two
// passes over a recording.

#include <string>

#include "perf/recording.h"
#include "program/program.h"
#include "samples/program_maps.h"

namespace pgokit::samples {

struct RecordedMaps {
  ProgramMaps maps;
  u64 mappings = 0;              // of the program's code; 0: it did not run
  std::string other_build = {};  // build id of another build of the program that ran
  bool matched_by_name = false;  // no build id on one of the sides
};

// `any_build`: take a mapping of another build for the program. `kernel`: it is the kernel, which
// has a mapping of its own.
RecordedMaps map_program(const perf::Recording& recording, const program::Program& program,
                         bool any_build, bool kernel, perf::ReadCounts& counts);

}  // namespace pgokit::samples
