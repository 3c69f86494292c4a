// A thread in a window is in translated code. It stops there
// - at the system call of `leave`: the window is full, or the next block is not translated yet;
// - for a signal, or because the recorder or a stop signal wants it: it leaves the copy at once,
// with
//   the state that it would have in the original (CodeCache::recover), so that signals are
//   delivered where they came, in their order, and by whoever sent them.
#include <algorithm>
#include <random>

#include "record/software/window.h"

namespace pgokit::record {
namespace {

// After that many stops for code not translated yet a window ends early.
constexpr u32 most_misses = 24;

struct Seen {
  scratch::Header header;
  u8 between[scratch::ring - sizeof(scratch::Header)];
  scratch::Entry ring[scratch::most_branches + 1];
};
static_assert(offsetof(Seen, ring) == scratch::ring && sizeof(Seen) <= scratch::size);

class CodeCacheEngine : public WindowEngine {
 public:
  explicit CodeCacheEngine(WindowLength length) : length_(length) {}
  u32 most_branches(u32) const override { return scratch::most_branches; }

  Progressed begin(Thread& thread, const Registers& regs, u32 branches) override {
    auto& space = *thread.space;
    // Other uses of gs would see the recorder's base.
    if (regs.gs_base != 0 && !space.is_arena(regs.gs_base)) return Progressed::impossible;
    if (!space.can_leave(thread, regs)) return Progressed::impossible;
    if (!space.prepare(thread, regs.rip)) return Progressed::impossible;
    int scratch = space.take_scratch();
    if (scratch < 0) return Progressed::impossible;
    if (!space.may_read_time(thread, space.cache().scratch(static_cast<u64>(scratch)))) {
      space.release_scratch(scratch);
      return Progressed::impossible;
    }
    thread.window = {.running = true,
                     .branches = std::min(branches, scratch::most_branches),
                     .taken = std::move(thread.window.taken),
                     .regs = regs,
                     .stops = 1,
                     .parts = length_.parts,
                     .scratch = scratch,
                     .passes = some(length_.first_passes * thread.reach)};
    if (enter(thread)) return go_on(thread);
    space.release_scratch(scratch);
    thread.window.running = false;
    return Progressed::impossible;
  }

  Progressed next(Thread& thread) override {
    auto& window = thread.window;
    --window.parts;
    window.passes = some(length_.further_passes * thread.reach);
    if (!thread.space->stale() && enter(thread)) return go_on(thread);
    return end(thread);
  }

  Progressed stopped(Thread& thread, Stop stop) override {
    ++thread.window.stops;
    return stop.is_system_call() ? at_leave(thread) : interrupted(thread, stop);
  }

 private:
  // A random number of passes, at most as many.
  u32 some(double most) {
    auto whole = static_cast<u32>(std::max(most, 1.0));
    return whole / 4 + 1 + static_cast<u32>(random_() % whole) * 3 / 4;
  }

  // From the state of the program to the beginning of a part of the window.
  bool enter(Thread& thread) {
    auto& space = *thread.space;
    const auto& window = thread.window;
    u64 code = space.cache().enter(window.regs.rip);
    auto header = space.cache().header(window.branches, window.passes);
    u64 at = space.cache().scratch(static_cast<u64>(window.scratch));
    // All that `leave` restores: the thread may still be in it, and its tracer be killed now.
    header.rax = window.regs.rax, header.rdx = window.regs.rdx;
    header.rcx = window.regs.rcx, header.r11 = window.regs.r11;
    header.target = window.regs.rip, header.jump = code;
    Bytes bytes(reinterpret_cast<const u8*>(&header), sizeof header);
    Registers inside = window.regs;
    inside.rip = space.cache().start();
    inside.gs_base = at;
    inside.orig_rax = u64(-1);
    return code && space.memory().write(at, bytes) && set_registers(thread.tid, inside);
  }

  static Progressed go_on(Thread& thread) {
    resume(thread.tid, Resume::without_system_call);
    return Progressed::running;
  }

  Progressed at_leave(Thread& thread) {
    Registers regs;
    if (!read(thread, regs)) return Progressed::running;
    const auto& header = seen_.header;
    regs.rax = header.rax, regs.rcx = header.rcx;
    regs.rdx = header.rdx, regs.r11 = header.r11;
    thread.window.cycles += header.cycles();
    regs.rip = header.target;
    regs.orig_rax = u64(-1);
    if (header.left == 0) return part_over(thread, regs);
    if (thread.window.misses >= most_misses) return finish(thread, regs);
    return at_miss(thread, regs);
  }

  Progressed at_miss(Thread& thread, Registers& regs) {
    ++thread.window.misses;
    auto& cache = thread.space->cache();
    u64 newest = seen_.header.left / scratch::entry_size + 1;
    bool indirect = newest > thread.window.branches || cache.edge(seen_.ring[newest].edge).to == 0;
    u64 original = regs.rip;
    // Another piece of the address space may need an arena of its own.
    u64 code = thread.space->prepare(thread, original) ? cache.enter(original) : 0;
    if (thread.gone) return Progressed::running;
    if (!code) {
      thread.reach = std::max(thread.reach / 2, 1.0 / length_.first_passes);
      return cut_short(thread, regs);
    }
    if (indirect) cache.publish(original);
    TargetMemory::Word jump{cache.scratch(static_cast<u64>(thread.window.scratch)) + scratch::jump,
                            code};
    thread.space->memory().write_words({&jump, 1});
    regs.rip = cache.start();
    set_registers(thread.tid, regs);
    return go_on(thread);
  }

  Progressed interrupted(Thread& thread, Stop stop) {
    Registers regs;
    if (!read(thread, regs)) return Progressed::running;
    auto& space = *thread.space;
    u64 pc = regs.rip;
    bool in_routine = space.cache().in_routine(pc);
    space.cache().recover(regs, seen_.header);
    siginfo_t info;
    if (stop.event() == 0 && get_signal(thread.tid, info) && caused_by_instruction(info)) {
      // Reading the time. A breakpoint of the program's right before the window has SI_KERNEL too.
      if (in_routine && info.si_signo == SIGSEGV && info.si_code == SI_KERNEL) {
        space.give_up("it forbids to read the time stamp counter");
        thread.deliver = 0;
      } else if (info.si_addr == reinterpret_cast<void*>(pc)) {
        info.si_addr = reinterpret_cast<void*>(regs.rip);
        set_signal(thread.tid, info);
      }
    }
    thread.window.cycles = 0;
    return cut_short(thread, regs);
  }

  bool read(Thread& thread, Registers& regs) {
    u64 at = thread.space->cache().scratch(static_cast<u64>(thread.window.scratch));
    size_t size = scratch::ring + (thread.window.branches + 1) * scratch::entry_size;
    return get_registers(thread.tid, regs) && thread.space->memory().read(at, &seen_, size);
  }

  static void take(Thread& thread, const scratch::Entry& entry) {
    Edge edge = thread.space->cache().edge(entry.edge);
    if (edge.to == 0) edge.to = entry.target, edge.indirect = true;
    thread.window.taken.push_back(edge);
  }

  Progressed part_over(Thread& thread, const Registers& regs) {
    if (thread.window.parts == 0) {
      thread.reach = std::min(thread.reach * 1.1, 1.0);
      return finish(thread, regs);
    }
    collect(thread, regs);
    return Progressed::part;
  }

  void collect(Thread& thread, const Registers& regs) {
    auto& window = thread.window;
    u64 gs_base = window.regs.gs_base;
    window.regs = regs;
    window.regs.gs_base = gs_base;
    window.taken.clear();
    u64 left = seen_.header.left / scratch::entry_size;
    u64 whole_passes = window.passes - 1 - std::min<u64>(seen_.header.passes, window.passes - 1);
    window.passed += whole_passes * window.branches + window.branches - left;
    for (u64 n = whole_passes ? left : 0; n > 0; --n) take(thread, seen_.ring[n]);
    for (u64 n = window.branches; n > left; --n) take(thread, seen_.ring[n]);
  }

  Progressed cut_short(Thread& thread, const Registers& regs) {
    thread.window.cut_short = true;
    return finish(thread, regs);
  }

  Progressed finish(Thread& thread, const Registers& regs) {
    collect(thread, regs);
    return end(thread);
  }

  static Progressed end(Thread& thread) {
    auto& window = thread.window;
    set_registers(thread.tid, window.regs);
    thread.space->release_scratch(window.scratch);
    window.running = false;
    return Progressed::finished;
  }

  WindowLength length_;
  std::minstd_rand random_{1};  // the same for each recording
  Seen seen_;
};

}  // namespace

std::unique_ptr<WindowEngine> make_code_cache_engine(WindowLength length) {
  return std::make_unique<CodeCacheEngine>(length);
}

}  // namespace pgokit::record
