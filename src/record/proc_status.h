#pragma once

// What /proc tells of threads and processes.

#include <sys/types.h>

#include <string_view>
#include <vector>

#include "base/types.h"

namespace pgokit::record {

// A number of /proc/TID/status; 0 where there is none.
u64 status_number(pid_t tid, std::string_view name, int base = 10);
// The threads of a process that have not ended.
std::vector<pid_t> threads_of(pid_t pid);
// Who traces a thread, 0: nobody.
pid_t tracer_of(pid_t tid);
// A signal waits to be delivered to the thread, and is not blocked.
bool has_pending_signal(pid_t tid);
// The thread's system calls are filtered by more than what the recorder's own are.
bool is_sandboxed(pid_t tid);
// Return addresses that a copy pushes would not be in it.
bool has_shadow_stack(pid_t tid);

}  // namespace pgokit::record
