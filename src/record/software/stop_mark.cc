#include "record/software/stop_mark.h"

#include <sys/ptrace.h>

#include "record/software/window.h"

namespace pgokit::record {
namespace {

bool stopped_for_mark(const Thread& thread) {
  siginfo_t info;
  return thread.deliver == static_cast<int>(mark_signal) && get_signal(thread.tid, info) &&
         is_stop_mark(info);
}

}  // namespace

bool has_left(Thread& thread, const Registers& regs) {
  return thread.window.running && thread.space && thread.space->cache().at_stop(regs.rip) &&
         stopped_for_mark(thread);
}

bool is_late_mark(Thread& thread) {
  Registers regs;
  return stopped_for_mark(thread) && !(get_registers(thread.tid, regs) && has_left(thread, regs));
}

void block_again(StoppedThread& thread, u64 signals) {
  ptrace(PTRACE_SETSIGMASK, thread.tid, sizeof signals, &signals);
  if (thread.deliver != static_cast<int>(mark_signal)) return;
  kill(thread.tid, thread.deliver);  // its process
  thread.deliver = 0;
}

}  // namespace pgokit::record
