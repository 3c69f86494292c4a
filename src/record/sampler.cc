#include "record/sampler.h"

#include <algorithm>
#include <cerrno>

#include "record/clock.h"

namespace pgokit::record {
namespace {

constexpr u64 user_code_64 = 0x33;  // the code segment of 64-bit programs

// An interrupted call that would now fail with EINTR, for no reason that the program knows of.
bool was_interrupted(const Registers& regs) {
  return static_cast<i64>(regs.orig_rax) >= 0 && static_cast<i64>(regs.rax) == -EINTR;
}

}  // namespace

void Sampler::refresh(SampledThread& thread) {
  for (const auto& mapping : thread.space->refresh()) recording_.mapped(thread.pid, mapping);
}

bool Sampler::begin(SampledThread& thread) {
  thread.due = false;
  Registers regs;
  if (!thread.space || !get_registers(thread.tid, regs)) return false;
  if (in_system_call(regs) || was_interrupted(regs)) return ++counts_.in_kernel, false;
  return begin_here(thread, regs);
}

bool Sampler::begin_here(SampledThread& thread, const Registers& regs) {
  if (thread.space->due_for_refresh(regs.rip)) refresh(thread);
  // The branches right behind a stop are those behind a tick or a system call: a random number of
  // them goes by before the ones that are kept.
  u32 branches = settings_.depth + static_cast<u32>(random_() % settings_.depth);
  auto begun =
      regs.cs == user_code_64 ? engine_.begin(thread, regs, branches) : Progressed::impossible;
  if (begun == Progressed::running) return true;
  thread.window.taken.clear();
  write_sample(thread, regs);
  return false;
}

bool Sampler::stopped(SampledThread& thread, Stop stop, int& deliver) {
  if (engine_.stopped(thread, stop, deliver) != Progressed::finished) return true;
  write_sample(thread, thread.window.regs);
  counts_.stops += thread.window.stops;
  counts_.stopped_ns += monotonic_ns() - thread.due_since_ns;
  return false;
}

void Sampler::write_sample(SampledThread& thread, const Registers& regs) {
  std::span<const Edge> taken = thread.window.taken;
  taken = taken.last(std::min<size_t>(taken.size(), settings_.depth));
  if (!thread.space->map().find(regs.rip)) refresh(thread);
  if (taken.empty()) {
    // llvm-profgen gives up at a recording whose first sample has no branches.
    ++counts_.without;
    if (counts_.samples == 0) return;
  }
  ++counts_.samples;
  counts_.full += taken.size() == settings_.depth;
  counts_.branches += taken.size();
  chain_.clear();
  if (settings_.callchain) unwinder_.chain(*thread.space, regs, chain_);
  recording_.sample(thread.pid, thread.tid, regs.rip, taken, chain_);
}

}  // namespace pgokit::record
