#include "record/software/stop_mark.h"

#include <sys/ptrace.h>

#include "record/software/window.h"

namespace pgokit::record {

bool is_at_mark(const StoppedThread& thread) {
  siginfo_t info;
  return thread.deliver == static_cast<int>(mark_signal) && get_signal(thread.tid, info) &&
         is_stop_mark(info);
}

bool has_left(Thread& thread, const Registers& regs) {
  if (!thread.at_mark) return false;
  thread.deliver = 0;
  return thread.space->cache().at_stop(regs.rip);
}

void block_again(StoppedThread& thread, u64 signals) {
  ptrace(PTRACE_SETSIGMASK, thread.tid, sizeof signals, &signals);
  if (thread.deliver != static_cast<int>(mark_signal)) return;
  kill(thread.tid, thread.deliver);  // its process
  thread.deliver = 0;
}

}  // namespace pgokit::record
