#include "record/software/sampler.h"

#include <sys/ptrace.h>

#include <algorithm>
#include <utility>

#include "record/system/clock.h"

namespace pgokit::record {
namespace {

constexpr u64 scale = 512;  // of weights

}  // namespace

void Sampler::refresh(FollowedThread& thread) {
  auto& space = *thread.space;
  space.cache().set_has_run([&](u64 address) { return counter_.has_run(space, address); });
  for (const auto& mapping : thread.space->refresh())
    recording_.mapped(thread.pid, thread.tid, mapping);
}

bool Sampler::begin(FollowedThread& thread) {
  thread.due = false;
  Registers regs;
  if (!thread.space || !get_registers(thread.tid, regs)) return false;
  if (in_system_call(regs) || was_interrupted(regs)) return ++counts_.in_kernel, false;
  return begin_here(thread, regs);
}

// What other processes have run of the same program. False: no window can begin now.
bool Sampler::adopt(FollowedThread& thread, const Registers& regs) {
  auto& space = *thread.space;
  if (!space.cache().arenas().empty() || !space.can_leave(thread, regs)) return true;
  return images_.adopt(thread, thread.pid, space);
}

bool Sampler::begin_here(FollowedThread& thread, const Registers& regs) {
  if (thread.space->due_for_refresh(regs.rip)) refresh(thread);
  thread.space->check_copies();
  // The branches right behind a stop are those behind a tick or a system call: a random number of
  // them is never kept.
  u32 branches = engine_.most_branches(settings_.depth);
  branches -= static_cast<u32>(random_() % settings_.depth);
  thread.unsaid_ns += settings_.period_ns;
  if (!thread.cpu_time.is_open()) thread.cpu_time.open(thread.pid, thread.tid);
  u64 cpu_begin_ns = thread.cpu_time.now_ns();
  bool runs_64_bit = runs_64_bit_code(regs);
  if (!runs_64_bit) thread.space->give_up("it runs 32-bit code");
  bool possible = runs_64_bit && adopt(thread, regs);
  auto begun = possible ? engine_.begin(thread, regs, branches) : Progressed::impossible;
  if (begun == Progressed::running) {
    thread.window_begin_ns = cpu_begin_ns;
    return true;
  }
  if (!thread.gone) unwind(thread, regs), write_place(thread, regs);
  return false;
}

void Sampler::ends(FollowedThread& thread) {
  bool ends = thread.last_stop.event() == PTRACE_EVENT_EXIT;
  if (ends && thread.space) images_.keep(thread.pid, *thread.space);
}

bool Sampler::stopped(FollowedThread& thread, Stop stop) {
  auto progressed = engine_.stopped(thread, stop);
  if (progressed == Progressed::running) return true;
  const auto& regs = thread.window.regs;
  if (!thread.space->map().find(regs.rip)) refresh(thread);
  time(thread);
  unwind(thread, regs);
  return false;
}

void Sampler::unwind(FollowedThread& thread, const Registers& regs) {
  chain_.clear();
  whole_chain_ = settings_.callchain && unwinder_.chain(*thread.space, regs, chain_);
}

void Sampler::keep(FollowedThread& thread) {
  engine_.take_counts(thread);
  write_samples(thread);
  add_counts(thread);
  ++counts_.windows;
  counts_.counted += thread.window.counts.empty() ? 0 : thread.window.passed;
  counts_.stops += thread.window.stops;
  counts_.stopped_ns += monotonic_ns() - thread.due_since_ns;
}

// The time stamp counter goes on while another program has the processor.
void Sampler::time(FollowedThread& thread) const {
  u64 now = thread.cpu_time.now_ns();
  if (now <= thread.window_begin_ns) return;
  u64 most = (now - thread.window_begin_ns) * settings_.cycles_per_us / 1000;
  thread.window.cycles = std::min(thread.window.cycles, most);
}

// Each window stands for the same time, so those in which more branches are made in that time have
// more weight. How long it was to be counts, not when it was cut short.
void Sampler::add_counts(FollowedThread& thread) {
  double weight = cutter_.weight(thread.window);
  counter_.add(*thread.space, thread.window, static_cast<u64>(weight * scale) + 1);
}

perf::BranchCounts Sampler::branch_counts() const { return counter_.counts(scale); }

// Returning from a signal handler is no return to behind a call.
size_t Sampler::real_frames(AddressSpace& space, std::span<const u64> chain) {
  size_t n = std::min<size_t>(chain.size(), 1);
  while (n < chain.size() && is_return_address(space, chain[n])) ++n;
  return n;
}

void Sampler::write_samples(FollowedThread& thread) {
  const auto& regs = thread.window.regs;
  if (thread.window.taken.empty()) return write_place(thread, regs);
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
  if (obstacle_.empty()) obstacle_ = thread.space->obstacle();
  // llvm-profgen gives up at a recording whose first sample has no branches.
  if (counts_.samples == 0) return;
  ++counts_.samples;
  recording_.sample(
      thread.pid, thread.tid,
      {.ip = regs.rip, .period_ns = std::exchange(thread.unsaid_ns, 0), .chain = chain_});
}

}  // namespace pgokit::record
