#pragma once

// A window: the stretch of a thread's execution during which its branches are recorded.
//
//   Progressed at = engine.begin(thread, regs, engine.most_branches(depth));   // it is stopped
//   at = engine.stopped(thread, stop);                                         // at each stop
//   if (at == Progressed::finished) use(thread.window.taken, thread.window.regs);
//   ... the thread may be set going ...
//   if (engine.answer(thread) == Answered::at_end) {   // as often as can be, while it runs
//     engine.finish_at_end(thread);                    // or stop_at_end(thread)
//     use(thread.window.taken, thread.window.regs), engine.let_go(thread);
//   }
//   engine.take_counts(thread), use(thread.window.counts);
//
// Ways to do it differ in cost only (docs/record.md); the recorder uses the code cache.

#include <memory>
#include <vector>

#include "perf/format.h"
#include "record/recorder.h"
#include "record/software/access_log.h"
#include "record/software/address_space.h"
#include "record/software/branch_drain.h"
#include "record/system/ptrace.h"
#include "record/x86/registers.h"
#include "record/x86/translate.h"

namespace pgokit::record {

struct Window {
  bool running = false;
  u32 branches = 0;         // to be recorded
  std::vector<Edge> taken;  // when finished: oldest first
  // All of its branches, of engines that count: see take_counts().
  std::vector<EdgeCount> counts;
  std::optional<Edge> last_taken;  // one more
  LoggedAccesses accesses;         // when finished, of copies that log them
  u64 begun_at = 0;                // an address; it ends at that of regs
  Registers regs{};                // at its end
  u64 stops = 0;                   // of the thread for this window, its end included
  u64 answers = 0;                 // to what it has asked without a stop
  u64 passed = 0;                  // branches in all, the last of which are recorded
  // In cycles of the time stamp counter: how long it was to count, and how long it has, system
  // calls not included; 0: not known.
  u64 wanted = 0, cycles = 0;
  double cycles_at_end = 0;  // of a branch there; 0: not known
  bool cut_short = false;    // by code that cannot be followed, a system call mostly
};

// What an engine keeps of a thread, from its first window on.
struct EngineState {
  virtual ~EngineState() = default;
};

struct Thread : StoppedThread {
  pid_t pid = 0;
  std::shared_ptr<AddressSpace> space;
  Window window;
  std::unique_ptr<EngineState> engine;  // made by it, and gone before `space`
  bool at_mark = false;                 // the stop that it is in is of a mark (stop_mark.h)

  // The thread executes another program: what it was is no longer.
  void forget_program() { window = {}, engine.reset(), gone = reads_time = false; }
};

enum class Progressed : u8 {
  impossible,  // begin() only: there is no window at this place
  running,     // the thread has been set going
  finished,    // it is stopped, with the program's registers
};

enum class Answered : u8 {
  nothing,  // the thread has not asked
  code,     // it goes on in its window
  at_end,   // its window is full: it waits, for a moment, to be let go
};

class WindowEngine {
 public:
  virtual ~WindowEngine() = default;
  // How long a window should be at most, in branches.
  virtual u32 most_branches(u32 depth) const = 0;
  // `regs` are those of the stopped thread.
  virtual Progressed begin(Thread& thread, const Registers& regs, u32 branches) = 0;
  // The thread stopped for whatever reason while its window runs. thread.deliver is the signal that
  // it stopped for; the engine clears it if the window was the cause.
  virtual Progressed stopped(Thread& thread, Stop stop) = 0;
  // Whether answer() is called all the time, so that threads may wait for it in their windows.
  virtual void set_watched(bool) {}
  // Does what a running thread waits for in its window.
  virtual Answered answer(Thread&) { return Answered::nothing; }
  // Of one that is at_end: its window is finished as by a stop, but the thread still waits.
  // False: the process is gone.
  virtual bool finish_at_end(Thread&) { return false; }
  virtual void let_go(Thread&) {}
  // Or it is to stop there.
  virtual void stop_at_end(Thread&) {}
  // A thread that was let go may not have left the copy yet. settle() is for one that is stopped,
  // which it puts where it would be by then, without a trace of windows in its registers.
  virtual bool is_leaving(Thread&) { return false; }
  virtual void settle(Thread&) {}
  // As if it had not stopped.
  virtual void pass_over(Thread& thread) { resume(thread.tid, Resume::freely); }
  // What the finished window has counted. The thread may run by then, but not in another window.
  virtual void take_counts(Thread&) {}
};

// Translated code in the process: a stop at the beginning, one at the end, and those between them
// that no answer makes needless. Windows count for so many cycles of the time stamp counter on
// average.
std::unique_ptr<WindowEngine> make_code_cache_engine(u64 cycles);
// PTRACE_SINGLESTEP: one stop for each instruction. The measure for the others.
std::unique_ptr<WindowEngine> make_single_step_engine();

}  // namespace pgokit::record
