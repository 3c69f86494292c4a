#pragma once

// Where perf script text says that the program was loaded, if it has no columns.
//
// Samples in such text do not tell their process, so there is one load address at a time, changed
// by each mapping event of the program's file name, in the order of the text: the rules of
// llvm-profgen 22. Text with columns: script_maps.h.

#include <condition_variable>
#include <mutex>
#include <optional>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "perf/script.h"
#include "program/program.h"

namespace pgokit::samples {

struct LoadAddress {
  u64 base = 0;         // where the first text segment is
  bool mapped = false;  // a mapping event said so

  BinaryAddr translate(u64 address, const program::Program& program) const {
    return {address - base + program.text_base().value};
  }
};

// Where a mapping of the program puts the first page (of 4 KiB) of its first text segment; nothing
// if that is not in the mapping. Kernels with larger pages map what lies in front of it too.
std::optional<u64> start_of_text(const perf::MmapLine& event, const program::Program& program);

// The load addresses in one chunk of the text.
struct LoadHistory {
  struct Change {
    const char* at = nullptr;  // from this place on
    LoadAddress address;
  };
  LoadAddress initial;
  std::vector<Change> changes;                         // in the order of the text
  perf::MmapLines mmap_lines = perf::MmapLines::none;  // of any program

  LoadAddress at(const char* place) const;
};

// Follows the load address through the chunks of a text. Workers that take the chunks in their
// order may each look through their own at the same time; only what is found is put in order.
class LoadTracker {
 public:
  // `pid`: take mapping events of this process only. `kernel`: the program is Linux, whose mapping
  // has a name of its own.
  LoadTracker(const program::Program& program, std::optional<u32> pid, bool kernel = false);

  // Waits for the chunks before to be asked for.
  LoadHistory history_of(size_t chunk, std::string_view text);

  // After all chunks.
  LoadAddress address() const { return address_; }
  // An error where segments of the program do not lie as it was linked.
  const Status& status() const { return status_; }
  u64 events() const { return events_; }  // mapping events of the program
  u64 unparsable_events() const { return unparsable_events_; }

 private:
  bool concerns_us(const perf::MmapLine& event) const;

  const program::Program& program_;
  std::optional<u32> pid_;
  bool kernel_;
  std::mutex lock_;
  std::condition_variable chunk_done_;
  size_t chunks_done_ = 0;
  // What is known at the end of these chunks:
  LoadAddress address_;
  Status status_;
  u64 events_ = 0, unparsable_events_ = 0;
};

}  // namespace pgokit::samples
