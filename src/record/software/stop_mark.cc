#include "record/software/stop_mark.h"

#include <sys/ptrace.h>

#include "record/software/window.h"

namespace pgokit::record {

int mark_signal_of(const Restrictions& restrictions) {
  bool is_handled = (restrictions.handled >> (SIGWINCH - 1) & 1) != 0;
  return is_handled ? SIGURG : SIGWINCH;
}

bool is_at_mark(const StoppedThread& thread) {
  siginfo_t info;
  return is_mark_signal(thread.deliver) && get_signal(thread.tid, info) && is_stop_mark(info);
}

bool has_left(Thread& thread, const Registers& regs) {
  if (!thread.at_mark) return false;
  thread.deliver = 0;
  return thread.space->cache().at_stop(regs.rip);
}

void block_again(StoppedThread& thread, u64 signals, int mark_signal) {
  bool was_blocked = (signals >> (mark_signal - 1) & 1) != 0;
  if (!was_blocked) return;
  ptrace(PTRACE_SETSIGMASK, thread.tid, sizeof signals, &signals);
  if (thread.deliver != mark_signal) return;
  kill(thread.tid, thread.deliver);  // its process
  thread.deliver = 0;
}

}  // namespace pgokit::record
