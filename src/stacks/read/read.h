#pragma once

// Recordings, text of perf script and exact counts → stacks.
//
//   auto stacks = TRY(read_stacks(file.bytes(), {.path = file.path()}));
//
// Frames of recordings get their names from the files of the programs, as far as they are here:
// where they were when they ran, beside the recording, or in perf's cache, of the same build. Text
// has its names already.

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "perf/recording.h"
#include "stacks/model/collector.h"

namespace pgokit::stacks {

struct ReadOptions {
  std::string path;                        // of the input: programs are looked for beside it
  std::vector<std::string> programs = {};  // looked into before all other places
  std::optional<u32> pid = {};             // samples of this process only
  Times times = Times::dropped;
  unsigned threads = 0;
};

struct Read {
  Stacks stacks;
  u64 unreadable = 0;                 // samples
  std::vector<std::string> nameless;  // modules with samples whose functions have no names here
  std::string cut_short;              // why the recording is not whole; empty: it is
};

// An error where there is no call chain: it says how to record them.
Result<Read> read_stacks(Bytes file, const ReadOptions& options);

// The parts of it, for files of a kind that is known.
Result<Read> read_recording(const perf::Recording& recording, const ReadOptions& options);
Result<Read> read_counts(const perf::Recording& recording, const ReadOptions& options);
Result<Read> read_script(std::string_view text, const ReadOptions& options);

}  // namespace pgokit::stacks
