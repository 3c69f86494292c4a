#pragma once

// Where perf script text with columns says that the program was, in which process and when: what
// recording_maps.h is for perf.data.
//
//   ScriptMaps maps(program, text, {.threads = 4});
//   ScriptMaps::Lookup lookup(maps);                 // one per thread
//   if (lookup.enter(columns.pid, place)) BinaryAddr a = lookup.translate(ip);
//
// Text has no times that could be relied on: its lines are in order, and a place in the text is a
// time. A process of which no event tells anything, and samples that do not tell their process, are
// looked for in what any process had mapped. Not for text as llvm-profgen reads it
// (load_address.h).
//
// Frames of call chains are addresses, or offsets in the file that stands behind them, which perf
// 6.1 prints. Which it is the frames in the program tell: they lie in its mappings, or in the parts
// of its file that are mapped.

#include <tsl/robin_map.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "perf/mmap_lines.h"
#include "program/program.h"
#include "samples/program_maps.h"

namespace pgokit::samples {

struct ScriptMapOptions {
  std::optional<u32> pid = {};  // samples of this process only
  bool kernel = false;          // the program is the kernel of the recorded machine
  unsigned threads = 0;
};

class ScriptMaps {
 public:
  ScriptMaps(const program::Program& program, std::string_view text,
             const ScriptMapOptions& options);

  u64 mappings() const { return mappings_; }  // of the program's code
  u64 unparsable_events() const { return unparsable_events_; }

  class Lookup {
   public:
    explicit Lookup(const ScriptMaps& maps) : maps_(&maps), layout_(maps.maps_) {}
    // Whether a sample is of a process that is asked for, in which the program was. `pid`: the
    // process, or the thread, which perf prints by default, where it is known whose it is.
    bool enter(std::optional<u32> pid, u64 place);
    // Where the text maps the program nowhere, addresses are those that it was linked for.
    BinaryAddr translate(u64 address) const {
      return maps_->mappings_ == 0 ? BinaryAddr{address} : layout_.translate({address});
    }
    // That of a frame, which is printed so, with the file that stands behind it.
    u64 frame_address(u64 printed, std::string_view file) const;

   private:
    const ScriptMaps* maps_;
    ProgramMaps::Lookup layout_;
  };

 private:
  void add_mapping(u64 place, const perf::MmapLine& event);
  void add_task(u64 place, const perf::TaskLine& task);
  void know(u32 pid, u64 place) { known_since_.try_emplace(pid, place); }
  u32 process_of(u32 pid_or_tid) const;
  bool prints_offsets(std::string_view text) const;

  ScriptMapOptions options_;
  ProgramMaps maps_;
  tsl::robin_map<u32, u64, IntHash> known_since_;  // processes: the first event that tells of it
  tsl::robin_map<u32, u32, IntHash> threads_;      // but first ones, with their process
  std::string name_;                               // of the program's file
  std::vector<ProgramMaps::Mapping> mapped_;       // of the program, different ones
  u64 mappings_ = 0, unparsable_events_ = 0;
  bool frames_are_offsets_ = false;
};

}  // namespace pgokit::samples
