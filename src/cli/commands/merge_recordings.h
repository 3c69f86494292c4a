#pragma once

// Recordings with branch counts add up to a recording: the part of `pgokit merge` for them.

#include "pipeline/input_files.h"

namespace pgokit::cli {

struct MergeRecordings {
  std::string output;
  bool strict = false;
  bool quiet = false;
};

// Whether one of the inputs that can be opened and are no standard input is a recording (perf.data).
bool are_recordings(const pipeline::Inputs& inputs);

// The exit code: 0, or 3 where inputs were left out.
Result<int> merge_recordings(const pipeline::Inputs& inputs, const MergeRecordings& options);

}  // namespace pgokit::cli
