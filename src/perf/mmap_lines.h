#pragma once

// Mapping events in the text of perf script --show-mmap-events:
//
//   PERF_RECORD_MMAP2 PID/TID: [0xSTART(0xSIZE) @ 0xOFFSET DEVICE INODE GENERATION]: r-xp PATH
//   PERF_RECORD_MMAP PID/TID: [0xSTART(0xSIZE) @ 0xOFFSET]: x PATH
//
// perhaps behind other columns; and what --show-task-events adds:
//
//   PERF_RECORD_FORK(PID:TID):(PARENT:TID)
//   PERF_RECORD_COMM exec: NAME:PID/TID

#include <functional>
#include <optional>
#include <string_view>

#include "base/types.h"

namespace pgokit::perf {

struct MmapLine {
  bool parsed = false;  // false: it looks like one, but only `line` is set
  std::string_view line = {};
  i64 pid = 0;
  u64 start = 0, size = 0, file_offset = 0;
  std::string_view protection = {}, path = {};
};

// llvm-profgen 22 takes no line for one that begins with a digit, as that of a process may.
enum class MmapRule : u8 { llvm_profgen, with_columns };
bool is_mmap_line(std::string_view line, MmapRule rule = MmapRule::llvm_profgen);
MmapLine parse_mmap_line(std::string_view line);
// In the order of the text; line.data() tells the place.
void for_each_mmap_line(std::string_view text, MmapRule rule,
                        const std::function<void(const MmapLine&)>& each);

// A process or thread that begins, or a process that runs another program from here on.
struct TaskLine {
  bool exec = false;
  u32 pid = 0, tid = 0;
  u32 parent = 0;  // of a fork: the process; the same for a thread
};
std::optional<TaskLine> parse_task_line(std::string_view line);

// Lines of any event but a sample.
void for_each_event_line(std::string_view text, const std::function<void(std::string_view)>& each);

}  // namespace pgokit::perf
