#include "record/software/tracer.h"

#include <sched.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/parallel.h"
#include "record/software/stop_mark.h"
#include "record/system/clock.h"
#include "record/system/idle_time.h"
#include "record/system/launch.h"
#include "record/system/own_processor.h"
#include "record/system/privileges.h"
#include "record/system/proc_status.h"

namespace pgokit::record {
namespace {

constexpr long options = PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK |
                         PTRACE_O_TRACEVFORK | PTRACE_O_TRACEEXEC;
constexpr u64 loop_ns = 100'000'000;
constexpr u64 longest_leave_ns = 1'000'000'000;

// So long a window mostly takes, and a processor that sleeps takes up to 0.3 ms to wake. Whole runs ask for nothing, and go on for long without a stop.
u64 longest_awake_ns(CopyFor purpose) {
  constexpr u64 in_window = 1'500'000, in_whole_run = 60'000;
  return is_whole_run(purpose) ? in_whole_run : in_window;
}

// What a stop costs that the recorder is handling since then: its processor and that of the thread
// have to wake, too.
u64 stop_ns(u64 begin_ns) {
  constexpr u64 waking_ns = 100'000;
  return monotonic_ns() - begin_ns + waking_ns;
}

sigset_t waited_for() {
  sigset_t set;
  sigemptyset(&set);
  for (int signal :
       {SIGCHLD, SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGIO, Tracer::tick_signal()})
    sigaddset(&set, signal);
  return set;
}

int exit_code_of(int status) {
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

std::string refusal_of(pid_t pid, const std::string& what) {
  auto why = tracing_obstacle(pid);
  return fmt::format("cannot trace process {}: {}", pid,
                     why.empty() ? what + " (see 'pgokit doctor')" : why);
}

}  // namespace

int Tracer::tick_signal() { return SIGRTMIN + 7; }

sigset_t Tracer::block_signals() {
  sigset_t set = waited_for(), before;
  sigprocmask(SIG_BLOCK, &set, &before);
  return before;
}

Tracer::Tracer(Follower& follower, TickSource& ticks, RecordingFile& recording,
               ProgramChoice& programs)
    : follower_(follower),
      ticks_(ticks),
      recording_(recording),
      programs_(programs),
      signals_before_(block_signals()),
      attention_(worker_count(0), longest_awake_ns(follower.purpose())) {
  own_time_.open(getpid(), gettid());
}

Tracer::~Tracer() {
  signal(tick_signal(), SIG_IGN);  // drops those that are still on the way
  sigprocmask(SIG_SETMASK, &signals_before_, nullptr);
}

Tracer::Traced& Tracer::thread(pid_t tid) {
  auto& entry = threads_.try_emplace(tid).first.value();
  if (!entry) {
    entry = std::make_unique<Traced>();
    entry->tid = tid;
  }
  return *entry;
}

// Who counts whole runs has something to do at the end of each thread.
bool Tracer::seize(pid_t tid) {
  bool at_end = is_whole_run(follower_.purpose());
  return ptrace(PTRACE_SEIZE, tid, nullptr, options | (at_end ? PTRACE_O_TRACEEXIT : 0)) == 0;
}

// Others only of threads that had windows: many processes are too short for one.
void Tracer::stop_at_end(Traced& one) {
  if (std::exchange(one.stops_at_end, true)) return;
  ptrace(PTRACE_SETOPTIONS, one.tid, nullptr, options | PTRACE_O_TRACEEXIT);
}

Status Tracer::launch(const std::vector<std::string>& command) {
  auto program = TRY(Launch::prepare(command, signals_before_, true));
  if (!seize(program.pid())) {
    const auto* why = std::strerror(errno);
    if (auto other = tracer_of(program.pid()))
      return fail(
          "cannot trace {}: process {} traces what is started here, as another recording, "
          "a debugger or strace",
          command[0], other);
    return fail("cannot trace {}: {} (see 'pgokit doctor')", command[0], why);
  }
  auto& main = thread(program.pid());
  main.pid = main_pid_ = program.pid();
  main.begun = true;
  main.chosen = programs_.takes_all();  // until it executes the command
  launched_ = true;
  count(main, true);
  return program.go([this] { reap(); });
}

Status Tracer::attach(pid_t pid) {
  if (kill(pid, 0) != 0 && errno == ESRCH) return fail("there is no process {}", pid);
  if (pid_t other = tracer_of(pid))
    return fail("process {} is traced by process {} already", pid, other);
  std::shared_ptr<AddressSpace> space;
  size_t threads = 0;
  bool chosen = programs_.takes(pid);
  // Threads are made while the list is read: until a pass finds no new one.
  for (bool found = true; found;) {
    found = false;
    for (pid_t tid : threads_of(pid)) {
      if (threads_.contains(tid)) continue;
      if (!space) {
        auto opened = AddressSpace::open(tid, follower_.purpose());
        if (!opened) return fail("{}", refusal_of(pid, opened.error().message));
        space = std::move(*opened);
      }
      if (!seize(tid)) {
        int error = errno;
        if (error == ESRCH || tracer_of(tid) == getpid()) continue;
        return fail("{}", refusal_of(pid, std::strerror(error)));
      }
      auto& one = thread(tid);
      found = true;
      one.pid = pid, one.begun = true, one.chosen = chosen;
      ++threads;
      if (!chosen) continue;
      one.space = space;
      // The main thread may have ended before the others.
      count(one, threads == 1);
      if (threads == 1) recording_.comm(pid, pid, false), follower_.refresh(one);
      if (tid != pid) recording_.comm(pid, tid, false);
      begin_following(one);
      if (is_whole_run(follower_.purpose())) ptrace(PTRACE_INTERRUPT, tid, nullptr, nullptr);
    }
  }
  if (threads == 0) return fail("there is no process {}", pid);
  return {};
}

void Tracer::count(const Traced& one, bool is_first) {
  if (!one.chosen) return;
  ++follower_.counts().threads;
  follower_.counts().processes += is_first;
}

void Tracer::begin_following(Traced& one) {
  if (!one.chosen) return;
  if (!is_whole_run(follower_.purpose())) ticks_.add(one.pid, one.tid);
}

void Tracer::run(double seconds, const std::function<void()>& now_and_then) {
  u64 end = seconds > 0 ? monotonic_ns() + static_cast<u64>(seconds * 1e9) : u64(-1);
  u64 next = 0;
  while (!enough_) {
    u64 now = monotonic_ns();
    time_is_over_ = now >= end;
    if (time_is_over_) break;
    if (now >= next || threads_.empty()) {
      had_enough_ = follower_.has_enough();
      if (had_enough_) break;
      now_and_then(), next = now + loop_ns;
      attention_.update({own_time_.now(), idle_ns(), now});
      follower_.set_watched(attention_.is_full());
      for (pid_t tid : ticks_.overdue()) tick(tid);
      for (auto* one : follower_.take_resting())
        ptrace(PTRACE_INTERRUPT, one->tid, nullptr, nullptr);
    }
    if (threads_.empty()) break;
    wait_for_event(std::min(end, next));
    for (pid_t tid : ticks_.due()) tick(tid);
    if (u64 period = follower_.period_ns()) ticks_.set_period(period);
    if (ended_) break;
  }
  note_left_running();
  leave_all();
}

// Those that the signal was for too which has ended it are gone by now.
std::vector<pid_t> Tracer::left_running() const {
  auto left = left_running_;
  std::erase_if(left, [](pid_t pid) { return threads_of(pid).empty(); });
  return left;
}

void Tracer::note_left_running() {
  for (const auto& [tid, one] : threads_)
    if (ended_ && tid == one->pid && !has_ended(tid)) left_running_.push_back(tid);
  std::ranges::sort(left_running_);
}

void Tracer::wait_for_event(u64 until_ns) {
  bool attends = attend();
  u64 now = monotonic_ns();
  u64 wait = until_ns > now && !attends ? std::min(until_ns - now, until_next_tick(now)) : 0;
  if (ticks_.polls()) wait = std::min(wait, ticks_.period_ns());
  if (wait > 0) follower_.prepare_next();
  timespec timeout{static_cast<time_t>(wait / 1'000'000'000),
                   static_cast<long>(wait % 1'000'000'000)};
  sigset_t set = waited_for();
  siginfo_t info;
  if (sigtimedwait(&set, &info, &timeout) > 0) take_signal(info);
}

void Tracer::take_signal(const siginfo_t& info) {
  if (info.si_signo == SIGCHLD) return reap();
  if (info.si_signo == SIGIO) {
    for (pid_t tid : ticks_.missed()) tick(tid);
    return;
  }
  if (pid_t tid = ticks_.thread_of(info)) return tick(tid), reap();
  // Nobody reads what the recorder says: no reason to end.
  if (info.si_signo == tick_signal() || info.si_signo == SIGPIPE) return;
  // What comes from the terminal has reached the program too.
  bool from_terminal = info.si_code == SI_KERNEL;
  interrupted_ = true;
  if (!launched_)
    enough_ = true;
  else if (!from_terminal)
    kill(main_pid_, info.si_signo);
}

void Tracer::reap() {
  while (true) {
    int status = 0;
    pid_t tid = waitpid(-1, &status, __WALL | WNOHANG);
    if (tid <= 0) return;
    last_event_ns_ = 0;
    if (WIFSTOPPED(status))
      handle_stop(thread(tid), {status});
    else
      handle_gone(tid, status);
    for (auto* waiting : follower_.take_waiting()) go_on(static_cast<Traced&>(*waiting));
  }
}

// True: the recorder is to look again at once. The next stop of a window, or what its thread waits
// for, mostly comes soon; to be woken for it would take longer than to handle it.
bool Tracer::attend() {
  bool any = false;
  for (const auto& [tid, one] : threads_) {
    any |= one->window.running || one->due;
    if (!one->window.running) continue;
    one->space->use(tid);  // the thread that stopped last may be gone
    if (follower_.answer(*one) != Answered::nothing) last_event_ns_ = 0;
    if (one->window.running) continue;
    ticks_.renew(tid);
    follower_.keep(*one);
  }
  u64 now = monotonic_ns();
  if (last_event_ns_ == 0) last_event_ns_ = now;
  return any && now - last_event_ns_ < attention_.awake_ns();
}

// For how long the recorder may sleep: until shortly before the next tick. Then it is awake when the
// thread stops, and has what it reads of it in its processor's caches. Were it to be woken for that,
// the thread would wait for two or three times as long. A tick may also not come: nothing is lost.
u64 Tracer::until_next_tick(u64 now_ns) {
  constexpr u64 most_early_ns = 200'000, late_ns = 200'000, parts = 20;
  constexpr u64 to_read_maps_ns = 200'000;
  if (!attention_.is_full()) return u64(-1);
  auto [tid, at_ns] = ticks_.expected(now_ns - late_ns);
  auto it = threads_.find(tid);
  auto* one = it != threads_.end() && it->second->space ? it->second.get() : nullptr;
  u64 early_ns = std::min(most_early_ns, ticks_.period_ns() / parts);
  bool rehearses = rehearsed_ns_ == at_ns;  // to sleep once more is not worth it
  if (rehearses || (one && one->space->needs_refresh())) early_ns += to_read_maps_ns;
  u64 begin_ns = at_ns - std::min(early_ns, at_ns);
  if (now_ns < begin_ns) return begin_ns - now_ns;
  if (one && std::exchange(rehearsed_ns_, at_ns) != at_ns) rehearse(*one);
  return 0;
}

// What is mapped from here on is told once more.
void Tracer::rehearse(Traced& one) {
  if (ticks_.mappings_changed()) expire_maps();
  one.space->use(one.tid);
  follower_.rehearse(one);
}

void Tracer::handle_stop(Traced& one, Stop stop) {
  bool signal = stop.event() == 0 && !stop.is_system_call();
  one.deliver = signal ? stop.signal() : 0;
  one.last_stop = stop;
  if (!one.window.running) one.stopped_since_ns = monotonic_ns();
  // By another thread, this one may have been anywhere.
  if (stop.event() == PTRACE_EVENT_EXEC) return handle_exec(one);
  if (one.space) one.space->use(one.tid);
  if (!one.window.running) follower_.settle(one);
  if (is_at_tick(one)) return handle_tick(one);
  one.at_mark = is_at_mark(one);
  bool over = one.window.running;
  // A mark outside of windows is late.
  if (one.deliver && (one.at_mark ? !over : follower_.is_own_signal(one))) one.deliver = 0;
  if (over && follower_.stopped(one, stop)) return make_way(one);
  if (stop.event() == 0) go_on(one);
  // Its processor sleeps while it is stopped.
  if (over) ticks_.renew(one.tid);
  if (over) follower_.keep(one);
  if (stop.event() != 0) handle_event(one, stop);
}

bool Tracer::is_at_tick(const Traced& one) const {
  siginfo_t info;
  return one.deliver == TickSource::thread_signal && get_signal(one.tid, info) &&
         ticks_.is_from_event(one.tid, info);
}

// The thread is where its time was up.
void Tracer::handle_tick(Traced& one) {
  one.deliver = 0;
  bool ticked = ticks_.has_ticked(one.tid);
  if (one.window.running) return follower_.pass_over(one);
  if (ticked && !one.due && one.begun && is_due(one)) {
    // A thread for which that is longer ago has waited for a processor since.
    constexpr u64 longest_ns = 500'000;
    u64 now = one.stopped_since_ns, ticked_at = ticks_.ticked_at(one.tid);
    if (ticked_at < now && now - ticked_at < longest_ns) one.stopped_since_ns = ticked_at;
    one.due = true;
    one.due_since_ns = one.stopped_since_ns;
  }
  if (one.due && !leaving_ && begin_window(one)) return;
  make_again(one);
  go_on(one);
}

// At a tick.
bool Tracer::is_due(Traced& one) {
  bool due = follower_.is_due(one);
  if (!due) ticks_.renew(one.tid);
  return due;
}

// Of a thread that is due and stopped.
bool Tracer::begin_window(Traced& one) {
  if (ticks_.mappings_changed()) expire_maps();
  stop_at_end(one);
  ticks_.stop(one.tid);
  bool begun = follower_.begin(one);
  ticks_.tell_thread(one.tid, one.signals_in_use);
  if (one.space && one.space->needs_room()) interrupt_windows(*one.space);
  if (begun) make_way(one);
  if (begun || one.gone) return true;
  ticks_.renew(one.tid);
  return false;
}

// For a thread that goes on in a window, where there is a processor to spare. In a whole run it soon
// stops again, and each goes on faster where the other was.
void Tracer::make_way(Traced& one) {
  if (attention_.is_full() && !is_whole_run(follower_.purpose()))
    leave_processor(one.status.processor_of(one.tid));
}

void Tracer::handle_event(Traced& one, Stop stop) {
  u64 begin_ns = monotonic_ns();
  switch (stop.event()) {
    case PTRACE_EVENT_CLONE:
    case PTRACE_EVENT_FORK:
    case PTRACE_EVENT_VFORK:
      handle_creation(one);
      go_on(one);
      follower_.charge(stop_ns(begin_ns));
      return adopt_waiting();  // whoever makes threads waits for none of this
    case PTRACE_EVENT_STOP:
      break;
    case PTRACE_EVENT_EXIT:
      follower_.ends(one);
      resume(one.tid, Resume::freely);
      return;
    default:
      return go_on(one);
  }
  if (!one.begun) {
    one.waiting = true;
    if (one.pid != 0 || leaving_) adopt_waiting();
    return;
  }
  if (leaving_) {
    // A tick that waits would come in between when memory is returned.
    bool again = !stop.is_of_group() && !std::exchange(one.signals_have_come, true);
    if (again && has_pending_signal(one.tid)) return (void)resume(one.tid, Resume::freely);
    ticks_.remove(one.tid);
    make_again(one);
    follower_.ends(one);
    if (!stop.is_of_group()) return_memory(one);
    return let_go(one);
  }
  if (stop.is_of_group()) return stay_stopped(one);
  if (one.due && begin_window(one)) return;
  make_again(one);
  go_on(one);
}

// As the whole process is, until that goes on.
void Tracer::stay_stopped(const Traced& one) { ptrace(PTRACE_LISTEN, one.tid, nullptr, nullptr); }

// Its creator's stop and its own first stop come in any order.
void Tracer::handle_creation(Traced& creator) {
  unsigned long created = 0;
  if (ptrace(PTRACE_GETEVENTMSG, creator.tid, nullptr, &created) != 0) return;
  auto tid = static_cast<pid_t>(created);
  Registers regs;
  auto* memory = creator.space ? &creator.space->memory() : nullptr;
  u64 flags = get_registers(creator.tid, regs) ? clone_flags(regs, memory) : 0;
  auto& one = thread(tid);
  bool is_thread = flags & CLONE_THREAD;
  one.pid = is_thread ? creator.pid : tid;
  if (flags & CLONE_VM) {
    // Mappings are noted once for all who share them, by the process that has them first.
    if (creator.space && creator.space->is_unnamed() && !is_thread) follower_.refresh(creator);
    one.space = creator.space;
  } else if (creator.space) {
    auto space = AddressSpace::open_forked(tid, *creator.space);
    if (space) one.space = std::move(*space);
  }
  one.chosen = creator.chosen;
  count(one, one.tid == one.pid);
  recording_.forked(one.pid, tid, creator.pid, creator.tid);
}

void Tracer::adopt_waiting() {
  std::vector<Traced*> ready;
  for (const auto& [tid, one] : threads_)
    if (one->waiting && (one->pid != 0 || leaving_)) ready.push_back(one.get());
  for (auto* one : ready) {
    one->waiting = false;
    one->begun = true;
    if (!leaving_) begin_following(*one);
    if (one->last_stop.is_of_group())
      stay_stopped(*one);
    else
      go_on(*one);
  }
}

void Tracer::handle_exec(Traced& one) {
  u64 begin_ns = monotonic_ns();
  unsigned long former = 0;
  ptrace(PTRACE_GETEVENTMSG, one.tid, nullptr, &former);
  if (auto old = static_cast<pid_t>(former); old != one.tid) {
    ticks_.remove(old);
    threads_.erase(old);
  }
  bool waits_for_tick = !one.due && !one.window.running;
  one.pid = one.tid;
  one.forget_program();
  one.due = false;
  one.cpu_time = {};
  one.space = nullptr;
  bool was_chosen = std::exchange(one.chosen, programs_.takes(one.pid));
  if (!one.chosen) {
    ticks_.remove(one.tid);
    return go_on(one);
  }
  if (!was_chosen) count(one, true);
  auto space = AddressSpace::open(one.pid, follower_.purpose());
  if (space) one.space = std::move(*space);
  // Many processes are too short for a window: of those the recording needs no more.
  if (one.space) one.space->set_unnamed();
  if (one.space && (one.tid == main_pid_ || is_whole_run(follower_.purpose())))
    follower_.refresh(one);
  go_on(one);
  follower_.charge(stop_ns(begin_ns));
  if (!is_whole_run(follower_.purpose())) ticks_.keep(one.pid, one.tid, waits_for_tick);
}

void Tracer::expire_maps() {
  for (const auto& [tid, one] : threads_)
    if (one->space) one->space->expire_map();
}

// A call that this stop has interrupted, and that would now fail with EINTR for no reason that the
// program knows of (epoll_wait and a few others), is made again.
void Tracer::make_again(Traced& one) {
  Registers regs;
  if (!get_registers(one.tid, regs)) return;
  if (!was_interrupted(regs) || has_pending_signal(one.tid)) return;
  set_registers(one.tid, making_again(regs));
}

void Tracer::handle_gone(pid_t tid, int status) {
  if (launched_ && tid == main_pid_) {
    ended_ = true;
    exit_code_ = exit_code_of(status);
    end_signal_ = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  }
  auto it = threads_.find(tid);
  if (it == threads_.end()) return;
  auto& one = *it.value();
  if (one.pid != 0) recording_.exited(one.pid, tid);
  ticks_.remove(tid);
  threads_.erase(it);
}

void Tracer::tick(pid_t tid) {
  auto it = threads_.find(tid);
  if (it == threads_.end()) return;
  auto& one = *it.value();
  if (one.window.running || one.due || !one.begun || !is_due(one)) return;
  one.due = true;
  one.due_since_ns = monotonic_ns();
  ptrace(PTRACE_INTERRUPT, tid, nullptr, nullptr);
}

void Tracer::go_on(Traced& one) {
  if (one.gone) return;
  // Any stop takes the place of the one that tick() or leave_all() asked for: memory is returned, and
  // a window begun, in that one.
  if (leaving_ || one.due) ptrace(PTRACE_INTERRUPT, one.tid, nullptr, nullptr);
  if (leaving_ || !one.chosen) return (void)resume(one.tid, Resume::freely, one.deliver);
  follower_.go_on(one);
}

void Tracer::let_go(Traced& one) {
  if (one.gone) return;
  ticks_.remove(one.tid);
  ptrace(PTRACE_DETACH, one.tid, nullptr, static_cast<long>(one.deliver));
  threads_.erase(one.tid);
}

// Of the others: they would run code that has changed, or have all the room.
void Tracer::interrupt_windows(const AddressSpace& space) {
  for (const auto& [tid, one] : threads_)
    if (one->window.running && one->space.get() == &space)
      ptrace(PTRACE_INTERRUPT, tid, nullptr, nullptr);
}

// By the last thread of an address space.
void Tracer::return_memory(Traced& one) {
  Registers regs;
  if (!one.space || one.space.use_count() > 1 || !get_registers(one.tid, regs)) return;
  if (in_system_call(regs)) {
    // What the kernel would do.
    if (has_pending_signal(one.tid)) return;
    if (!set_registers(one.tid, making_again(regs))) return;
  }
  one.let_go = true;
  one.space->refresh();
  one.space->unmap_arenas(one);
}

// A thread that does not stop goes on by itself when the recorder ends, or at its next stop.
void Tracer::leave_all() {
  leaving_ = true;
  adopt_waiting();
  for (auto* waiting : follower_.take_waiting()) go_on(static_cast<Traced&>(*waiting));
  interrupt_all();
  u64 now = monotonic_ns(), end = now + longest_leave_ns, next = now + loop_ns;
  for (; !threads_.empty() && now < end; now = monotonic_ns()) {
    if (now >= next) interrupt_all(), next = now + loop_ns;
    wait_for_event(std::min(next, end));
  }
}

void Tracer::interrupt_all() {
  for (const auto& [tid, one] : threads_) ptrace(PTRACE_INTERRUPT, tid, nullptr, nullptr);
}

int Tracer::wait_for_end() {
  while (launched_ && !ended_) wait_for_event(monotonic_ns() + loop_ns);
  return exit_code_;
}

}  // namespace pgokit::record
