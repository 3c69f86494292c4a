#pragma once

// The processes of a recording, in a line.
//
//   print("{}", processes_text(summary.processes, 3));     // "7 (1,200 samples), 9 (1 sample)"

#include <span>
#include <string>

#include "perf/summary.h"

namespace pgokit::cli {

// `most`: so many are listed, and how many more there are; 0: all.
std::string processes_text(std::span<const perf::ProcessSamples> processes, u64 most);

// Why no sample of the recording is of this process, with those that there are; empty where some
// are, or where it cannot be told.
std::string not_recorded(u32 pid, const std::string& recording);

}  // namespace pgokit::cli
