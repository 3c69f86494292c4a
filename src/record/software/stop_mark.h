#pragma once

// The signal by which copies stop their thread for the recorder.
//
//   int signal = mark_signal_of(restrictions_of(tid));
//   memory.write(area + scratch::mark, bytes_of(stop_mark(signal)));    // what they send
//   ...
//   thread.at_mark = is_at_mark(thread);                          // at a stop
//   if (has_left(thread, regs)) ...                               // of a window
//   if (recovered.blocked) block_again(thread, *recovered.blocked, signal);
//
// By default it is ignored, so a thread whose recorder has been killed goes on. A handler of the
// program would be called for nothing then, and servers have one of SIGWINCH by which their workers
// end: such a program gets SIGURG, whose handlers have to look whether it means anything. A thread
// that blocks the signal does not while it sends it. No other sender's looks like it: the code is one
// that the kernel has no use for.

#include <signal.h>

#include "record/software/inject.h"
#include "record/system/proc_status.h"

namespace pgokit::record {

struct Thread;

// SIGWINCH, or SIGURG of a process with a handler of that one.
int mark_signal_of(const Restrictions& restrictions);

inline siginfo_t stop_mark(int signal) {
  siginfo_t info{};
  info.si_signo = signal;
  info.si_code = 0x7a;       // from 0 on no limit of pending signals stops it; SI_KERNEL is 0x80
  info.si_pid = 0x676f6b69;  // the largest number of a process is 2^22
  return info;
}

inline bool is_mark_signal(int signal) { return signal == SIGWINCH || signal == SIGURG; }

inline bool is_stop_mark(const siginfo_t& info) {
  auto mark = stop_mark(info.si_signo);
  return is_mark_signal(info.si_signo) && info.si_code == mark.si_code &&
         info.si_pid == mark.si_pid;
}

// The signal that the thread has stopped for is a mark. Asks the kernel.
bool is_at_mark(const StoppedThread& thread);
// A stop in a window: the thread has left its copy. False at a mark too if something else had
// stopped it before: it is elsewhere by now. No mark is to be delivered.
bool has_left(Thread& thread, const Registers& regs);
// The signals that the thread has blocked before its copy sent the mark. One of the program's own
// that came meanwhile waits again.
void block_again(StoppedThread& thread, u64 signals, int mark_signal);

}  // namespace pgokit::record
