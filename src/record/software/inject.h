#pragma once

// System calls made by a stopped thread on behalf of the recorder.
//
//   auto got = inject(memory, thread, site, {SYS_mmap, {at, size, protection, flags, u64(-1), 0}});
//
// The recorder may be killed at any moment, so the thread never depends on it: it is sent to code
// at `site` that makes the call, gives all registers their values back and jumps to where the
// thread was.

#include <sys/types.h>

#include <optional>
#include <span>
#include <string_view>

#include "base/types.h"
#include "record/system/proc_status.h"
#include "record/system/ptrace.h"
#include "record/system/target_memory.h"
#include "record/x86/file_mappings.h"
#include "record/x86/system_call.h"

namespace pgokit::record {

// A thread in a stop, and what has to be known when it is set going again.
struct StoppedThread {
  pid_t tid = 0;
  int deliver = 0;            // the signal that it stopped for, to be delivered then
  bool gone = false;          // it has ended or executes another program: waitpid() will tell
  bool holds_faults = false;  // SIGSEGV is blocked or ignored
  bool alone = false;         // the only one of its process
  bool reads_time = false;    // is permitted to, as was found out for that
  // That it blocks, or has handlers of; bit 0 is signal 1. All, before that is known.
  u64 signals_in_use = u64(-1);
  ThreadStatus status;
  bool let_go = false;  // after this: a stop that the recorder asked for before is of no use
};

// `thread` is in no system call that is to be made again. `site` is executable memory that nobody
// else uses. Gives what the kernel gives, errors from -4095 on; nullopt if the call was not made:
// the thread is in another stop then, with its registers as they were, or gone.
std::optional<u64> inject(TargetMemory& memory, StoppedThread& thread, u64 site,
                          const SystemCall& call);

struct MadeMappings {
  size_t made = 0;
  u64 result = 0;  // of the last call
};
// The same for the mappings of a file in one stop: the thread opens `path`, and closes it again
// before it stops. It is the only one of its process. `site` has mapping_site_size bytes. Signals
// wait meanwhile; if one could not, thread.deliver has it. nullopt: no call was made, or the thread
// is gone.
std::optional<MadeMappings> inject_mappings(TargetMemory& memory, StoppedThread& thread, u64 site,
                                            std::string_view path,
                                            std::span<const FileMapping> mappings);

}  // namespace pgokit::record
