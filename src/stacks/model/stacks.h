#pragma once

// The call stacks of a recording, of all its programs: what viewers of profiles show.
//
//   for (const Sample& sample : stacks.samples)
//     for (u32 node = sample.node; node != 0; node = stacks.nodes[node].parent)    // leaf first
//       for (const Frame& frame : stacks.frames_of(stacks.nodes[node].location))   // outermost first
//         use(stacks.names.text(frame.function), frame.line);
//
// Stacks share their beginnings: they are paths in one tree. A location is an instruction, with the
// functions that were inlined there as its frames.

#include <span>
#include <string>
#include <vector>

#include "base/names.h"
#include "base/types.h"

namespace pgokit::stacks {

struct Module {
  std::string path;      // of the mapping; empty: not known
  std::string build_id;  // hexadecimal; empty: not known
  // Where addresses of its locations are, and which byte of the file the first one is: those of the
  // linker where the file was found, else offsets in the file. All 0: not known.
  u64 start = 0, end = 0, file_offset = 0;

  // Without the folders.
  std::string_view name() const;
  bool operator==(const Module&) const = default;
};

// Whose code: that of a file, of the kernel, or made by the process itself.
enum class Code : u8 { file, kernel, generated };

struct Frame {
  NameId function{};   // as in the program, mangled; an empty name: not known
  NameId file{};       // of the source; an empty name: not known
  u32 line = 0;        // in it; 0: not known
  u32 start_line = 0;  // of the function
  bool operator==(const Frame&) const = default;
};

struct Location {
  u32 module = 0;   // of Stacks::modules
  u64 address = 0;  // of callers: within the call
  Code code = Code::file;
  u32 first_frame = 0, frames = 0;  // of Stacks::frames; at least one
};

struct Node {
  u32 parent = 0;
  u32 location = 0;
  bool operator==(const Node&) const = default;
};

// The samples of one event in one thread, as long as it has that name.
struct Track {
  u32 pid = 0, tid = 0;
  bool knows_pid = true;
  NameId name{};
  u32 event = 0;
};

struct Sample {
  u64 time = 0;    // ns; 0: not known, or samples of all times were added up
  u64 count = 1;   // how many samples
  u64 weight = 1;  // the sum of their periods
  u32 track = 0, node = 0;
};

struct Event {
  std::string name;
  std::string unit = "count";  // of weights; "nanoseconds" for clocks
  bool weighted = false;       // weights are not just the number of samples
};

struct Stacks {
  Names names;
  std::vector<Event> events;
  std::vector<Module> modules;
  std::vector<Frame> frames;
  std::vector<Location> locations;
  std::vector<Node> nodes = std::vector<Node>(1);  // parents first; [0] is the root
  std::vector<Track> tracks;
  std::vector<Sample> samples;  // by track, then by time

  std::span<const Frame> frames_of(u32 location) const {
    const auto& at = locations[location];
    return std::span(frames).subspan(at.first_frame, at.frames);
  }
  // How people call a frame: demangled; "[libc.so.6]" where only the module is known.
  std::string shown_name(const Frame& frame, const Location& location) const;
};

// Puts nodes, tracks and samples in an order that does not depend on who found them: nodes depth
// first by location, tracks by process, thread, name and event. `stacks.samples` may be in any
// order before.
void arrange(Stacks& stacks);

}  // namespace pgokit::stacks
