#pragma once

// What /proc tells of threads and processes.

#include <sys/types.h>

#include <utility>
#include <vector>

#include "base/types.h"

namespace pgokit::record {

// A thread that nobody has waited for yet.
bool has_ended(pid_t tid);
// By a signal, until another lets it go on.
bool is_stopped(pid_t tid);
bool is_of_kernel(pid_t tid);
// The threads of a process that have not ended.
std::vector<pid_t> threads_of(pid_t pid);
// Of this PID namespace, without the calling one.
std::vector<pid_t> all_processes();
// And the processes that descend from them now, each once, but not the calling one.
std::vector<pid_t> with_descendants(std::vector<pid_t> pids);
// Who traces a thread, 0: nobody.
pid_t tracer_of(pid_t tid);
// A signal waits to be delivered to the thread, and is not blocked.
bool has_pending_signal(pid_t tid);
struct Restrictions {
  bool sandboxed = false;     // its system calls are filtered by more than the recorder's own are
  bool holds_faults = false;  // SIGSEGV is blocked or ignored
  bool shadow_stack = false;  // return addresses that a copy pushes would not be in it
  bool alone = false;         // it has one thread
  u64 handled = 0;            // signals with handlers of the process; bit 0 is signal 1
  u64 blocked = 0;            // by the thread
};
Restrictions restrictions_of(pid_t tid);
// Of one thread again and again, in a third of the time: the files stay open.
class ThreadStatus {
 public:
  ThreadStatus() = default;
  ThreadStatus(ThreadStatus&& other) noexcept
      : status_(std::exchange(other.status_, -1)), stat_(std::exchange(other.stat_, -1)) {}
  ThreadStatus& operator=(ThreadStatus&& other) noexcept {
    std::swap(status_, other.status_);
    std::swap(stat_, other.stat_);
    return *this;
  }
  ~ThreadStatus();

  Restrictions restrictions_of(pid_t tid);
  // That it is on, or will be when it runs; -1: the thread is gone.
  int processor_of(pid_t tid);

 private:
  int status_ = -1, stat_ = -1;
};
struct Credentials {
  u64 capabilities = 0;   // those in effect
  u64 permitted = 0;      // and those that could be
  u32 user = 0;           // the real one
  bool one_user = false;  // the effective and the saved one are the same
  bool filtered = false;  // by seccomp
};
Credentials credentials_of(pid_t tid);

}  // namespace pgokit::record
