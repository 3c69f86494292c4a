#include "record/software/sampler.h"

#include <sys/ptrace.h>

#include <algorithm>
#include <utility>

#include "record/software/stop_mark.h"
#include "record/system/clock.h"

namespace pgokit::record {
namespace {

constexpr u64 scale = 512;  // of weights

}  // namespace

void Sampler::refresh(FollowedThread& thread) {
  auto& space = *thread.space;
  space.cache().set_has_run([&](u64 address) { return counter_.has_run(space, address); });
  if (space.take_unnamed()) recording_.comm(thread.pid, thread.pid, true);
  for (const auto& mapping : thread.space->refresh())
    recording_.mapped(thread.pid, thread.tid, mapping);
}

void Sampler::rehearse(FollowedThread& thread) {
  if (thread.space->needs_refresh()) refresh(thread);
  thread.space->rehearse(thread);
}

bool Sampler::is_due(FollowedThread& thread) {
  u64 period_ns = budget_.period_ns();
  thread.unsaid_ns += period_ns, unseen_ns_ += period_ns;
  budget_.earn(period_ns);
  return budget_.allows();
}

bool Sampler::begin(FollowedThread& thread) {
  thread.due = false;
  thread.recorder_at_begin = own_time_.now();
  Registers regs;
  if (!thread.space || !get_registers(thread.tid, regs)) return false;
  bool in_kernel = in_system_call(regs) || was_interrupted(regs);
  counts_.in_kernel += in_kernel;
  if (!in_kernel && begin_here(thread, regs)) return true;
  budget_.spend(monotonic_ns() - thread.stopped_since_ns);
  return false;
}

// What other processes have run of the same program. False: no window can begin now.
bool Sampler::adopt(FollowedThread& thread, const Registers& regs) {
  auto& space = *thread.space;
  if (!space.cache().arenas().empty() || !space.can_leave(thread, regs)) return true;
  return images_.adopt(thread, thread.pid, space);
}

bool Sampler::begin_here(FollowedThread& thread, const Registers& regs) {
  thread.space->check_copies();
  if (thread.space->due_for_refresh(regs.rip)) refresh(thread);
  // The branches right behind a stop are those behind a tick or a system call: a random number of
  // them is never kept.
  u32 branches = engine_.most_branches(settings_.depth);
  branches -= static_cast<u32>(random_() % settings_.depth);
  if (!thread.cpu_time.is_open()) thread.cpu_time.open(thread.pid, thread.tid);
  auto at_begin = thread.cpu_time.now();
  bool runs_64_bit = runs_64_bit_code(regs);
  if (!runs_64_bit) thread.space->give_up("it runs 32-bit code");
  bool possible = runs_64_bit && adopt(thread, regs);
  auto begun = possible ? engine_.begin(thread, regs, branches) : Progressed::impossible;
  if (begun == Progressed::running) {
    thread.at_begin = at_begin;
    return true;
  }
  if (!thread.gone) unwind(thread, regs), write_place(thread, regs);
  unseen_ns_ -= std::min(unseen_ns_, budget_.period_ns());  // no other window stands for that
  return false;
}

void Sampler::ends(FollowedThread& thread) {
  if (thread.last_stop.event() != PTRACE_EVENT_EXIT)
    engine_.settle(thread);
  else if (thread.space)
    images_.keep(thread.pid, *thread.space);
}

void Sampler::settle(FollowedThread& thread) {
  if (!engine_.is_leaving(thread)) return;
  if (is_at_mark(thread)) thread.deliver = 0;  // it had no more patience
  engine_.settle(thread);
}

bool Sampler::stopped(FollowedThread& thread, Stop stop) {
  auto progressed = engine_.stopped(thread, stop);
  if (progressed == Progressed::running) return true;
  thread.at_end = thread.cpu_time.now();
  finished(thread);
  return false;
}

Answered Sampler::answer(FollowedThread& thread) {
  auto answered = engine_.answer(thread);
  if (answered != Answered::at_end) return answered;
  if (!runs_on(thread)) return engine_.stop_at_end(thread), answered;
  if (!engine_.finish_at_end(thread)) return answered;
  finished(thread);
  engine_.let_go(thread);
  return answered;
}

// Since the thread was set going for its window it has had its processor for itself. Otherwise only a
// stop tells how long it ran.
bool Sampler::runs_on(FollowedThread& thread) {
  thread.at_end = thread.cpu_time.now();
  if (thread.at_end.times != thread.at_begin.times + 1) return false;
  thread.at_end.used_ns = thread.at_begin.used_ns + monotonic_ns() - thread.stopped_since_ns;
  return true;
}

// The window is; the thread is stopped, or waits at its end. The time stamp counter goes on while
// another program has the processor, and what was read of it is the program's to change.
void Sampler::finished(FollowedThread& thread) {
  if (thread.at_end.used_ns > thread.at_begin.used_ns) {
    u64 most = (thread.at_end.used_ns - thread.at_begin.used_ns) * settings_.cycles_per_us / 1000;
    thread.window.cycles = std::min(thread.window.cycles, most);
  }
  const auto& regs = thread.window.regs;
  if (!thread.space->map().find(regs.rip)) refresh(thread);
  unwind(thread, regs);
}

void Sampler::unwind(FollowedThread& thread, const Registers& regs) {
  chain_.clear();
  whole_chain_ = settings_.callchain && unwinder_.chain(*thread.space, regs, chain_);
}

// Since the thread stopped for the window. That both wait while other programs have the processors
// is none of it, nor that the thread sleeps in a system call.
u64 Sampler::taken_ns(const FollowedThread& thread) const {
  constexpr u64 waking_ns = 100'000;  // of a processor that sleeps, at most
  auto since = [](const CpuTime::Times& now, const CpuTime::Times& then) {
    return CpuTime::Times{now.used_ns - then.used_ns, now.waited_ns - then.waited_ns};
  };
  auto program = since(thread.at_end, thread.at_begin);
  auto recorder = since(own_time_.now(), thread.recorder_at_begin);
  u64 gone_by = monotonic_ns() - thread.stopped_since_ns;
  u64 waking = 2 * thread.window.stops * waking_ns;
  u64 waited = program.waited_ns + recorder.waited_ns;
  u64 of_others = waited > waking ? waited - waking : 0;
  u64 awake = program.used_ns + recorder.used_ns + waking;
  return std::min(gone_by > of_others ? gone_by - of_others : 0, awake);
}

// The program's own time for what it did in the window.
u64 Sampler::own_ns(const Window& window) {
  if (settings_.cycles_per_us == 0) return 0;
  auto per_us = static_cast<double>(settings_.cycles_per_us);
  return static_cast<u64>(cutter_.own_cycles(window) * 1000 / per_us);
}

bool Sampler::has_enough() {
  constexpr double alike = 0.95;
  if (!settings_.until_dense || counts_.windows < perf::Windows::enough) return false;
  estimate();
  return counts_.likeness >= alike;
}

void Sampler::keep(FollowedThread& thread) {
  u64 taken = taken_ns(thread);
  engine_.take_counts(thread);
  u64 own = own_ns(thread.window);
  budget_.spend(taken > own ? taken - own : 0);
  write_samples(thread);
  add_counts(thread);
  ++counts_.windows;
  counts_.counted += thread.window.counts.empty() ? 0 : thread.window.passed;
  counts_.stops += thread.window.stops;
  counts_.answers += thread.window.answers;
  counts_.stopped_ns += monotonic_ns() - thread.due_since_ns;
}

// A window stands for the time since the one before, of all threads, and for its own: the more
// branches are made in that time, the more weight it has.
void Sampler::add_counts(FollowedThread& thread) {
  u64 ns = std::exchange(unseen_ns_, 0) + own_ns(thread.window);
  double cycles = static_cast<double>(ns) * static_cast<double>(settings_.cycles_per_us) / 1000;
  double weight = cutter_.weight(thread.window, cycles);
  counter_.add(*thread.space, thread.window, static_cast<u64>(weight * scale) + 1);
  // The first sample of a recording is to have branches.
  if (settings_.accesses && counts_.samples)
    counts_.accesses += memory_.write(thread, weight, [&] { refresh(thread); });
}

// Of halves, each has twice the variance of the whole, and their difference four times.
void Sampler::estimate() { counts_.likeness = (1 + counter_.likeness_of_halves()) / 2; }

void Sampler::write_counts() {
  estimate();
  auto counts = counter_.counts(scale);
  counts.windows = perf::Windows::of(counts.windows.number, counts_.likeness);
  recording_.branch_counts(std::move(counts), counter_.files());
}

// Returning from a signal handler is no return to behind a call.
size_t Sampler::real_frames(AddressSpace& space, std::span<const u64> chain) {
  size_t n = std::min<size_t>(chain.size(), 1);
  while (n < chain.size() && is_return_address(space, chain[n])) ++n;
  return n;
}

void Sampler::write_samples(FollowedThread& thread) {
  const auto& regs = thread.window.regs;
  if (thread.window.taken.empty()) {
    // One that has counted and not recorded has no sample.
    if (thread.window.passed == 0) write_place(thread, regs);
    return;
  }
  u64 ip = 0;
  cutter_.cut(thread.window, chain_, [&](std::span<const Edge> taken, std::span<const u64> chain) {
    bool at_end = &taken.back() == &thread.window.taken.back();
    ip = at_end ? regs.rip : taken.back().to;
    chain = chain.first(real_frames(*thread.space, chain));
    ++counts_.samples;
    counts_.full += taken.size() == settings_.depth;
    counts_.branches += taken.size();
    recording_.sample(thread.pid, thread.tid,
                      {.ip = ip,
                       .period_ns = std::max(std::exchange(thread.unsaid_ns, 0), u64{1}),
                       .taken = taken,
                       .chain = chain,
                       .whole_chain = whole_chain_ && chain.size() > 1});
  });
}

// Code that cannot be followed: address and call chain only.
void Sampler::write_place(FollowedThread& thread, const Registers& regs) {
  ++counts_.without;
  const auto* mapping = thread.space->map().find(regs.rip);
  counts_.generated += mapping && mapping->is_generated();
  counts_.crowded += thread.space->is_crowded(regs.rip);
  if (obstacle_.empty()) obstacle_ = thread.space->obstacle();
  // llvm-profgen gives up at a recording whose first sample has no branches.
  if (counts_.samples == 0) return;
  ++counts_.samples;
  recording_.sample(
      thread.pid, thread.tid,
      {.ip = regs.rip, .period_ns = std::exchange(thread.unsaid_ns, 0), .chain = chain_});
}

}  // namespace pgokit::record
