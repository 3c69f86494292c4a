// A thread in a window is in translated code, which makes system calls too. It stops there
// - by the signal of `leave`: the window is full or the next block not translated yet, and nobody
//   has answered what the thread asks for, or the copy is not to make the next system call without
//   a look at it;
// - for a signal, or because the recorder or a stop signal wants it: it leaves the copy at once,
//   with the state that it would have in the original (CodeCache::recover), so that signals are
//   delivered where they came, in their order, and by whoever sent them.
#include <sys/auxv.h>

#include <algorithm>
#include <array>
#include <optional>
#include <random>

#include "record/software/stop_mark.h"
#include "record/software/window.h"
#include "record/x86/system_call.h"

namespace pgokit::record {
namespace {

// After so many times that code was missing a window ends early.
constexpr u32 most_misses = 100;
// A look at the time costs about as much as ten turns.
constexpr u32 turns_of_pass = 1024;
constexpr double shortest_reach = 1.0 / 256;
// Turns of waiting, each of which takes 20 to 150 cycles: some 0.1 ms. A request that is watched
// for is seen after a few microseconds.
constexpr u64 patience = 4096;

struct Seen {
  scratch::Header header;
  u8 mark[scratch::ring - sizeof(scratch::Header)];
  scratch::Entry ring[scratch::most_branches + 1];
};
static_assert(offsetof(Seen, ring) == scratch::ring && sizeof(Seen) <= scratch::calls);

// A scratch area of an address space, while a window uses it.
class ScratchArea {
 public:
  explicit ScratchArea(AddressSpace& space) : space_(space), number_(space.take_scratch()) {}
  ~ScratchArea() {
    if (is_there()) space_.release_scratch(number_);
  }
  ScratchArea(const ScratchArea&) = delete;

  bool is_there() const { return number_ >= 0; }
  int mark_signal() const { return space_.mark_signal(number_); }
  u64 address() const { return space_.cache().scratch(static_cast<u64>(number_)); }
  bool take_counts(std::vector<EdgeCount>& counts) { return space_.take_counts(number_, counts); }
  // Where the first pair that is met stands: behind those of the windows before.
  u64 next_pair() const {
    using namespace scratch;
    u64 next = 0;
    bool known = space_.memory().read(address() + scratch::next_pair, &next, sizeof next);
    if (known && next >= first_pair && next <= pairs_end) return next;
    if (next) forget_targets(space_.memory(), address());  // the program has written there
    return first_pair;
  }

 private:
  AddressSpace& space_;
  int number_;
};

struct CodeCacheState : EngineState {
  std::optional<ScratchArea> scratch;  // while a window runs, and until the thread has left it
  bool let_go = false;                 // without a stop
  u32 misses = 0;                      // in the window
  u32 first_turns = 0;                 // before the time was looked at first
  // How long windows are to be, as a share of the usual time: where system calls follow each other
  // fast, long ones would all end at one of them.
  double reach = 1;
};

CodeCacheState& state_of(Thread& thread) {
  if (!thread.engine) thread.engine = std::make_unique<CodeCacheState>();
  return static_cast<CodeCacheState&>(*thread.engine);
}

class CodeCacheEngine : public WindowEngine {
 public:
  explicit CodeCacheEngine(u64 cycles) : usual_(cycles) {}
  u32 most_branches(u32) const override { return scratch::most_branches; }

  Progressed begin(Thread& thread, const Registers& regs, u32 branches) override {
    auto& space = *thread.space;
    // Other uses of gs would see the recorder's base.
    if (regs.gs_base != 0 && !space.is_arena(regs.gs_base)) return Progressed::impossible;
    if (space.cache().contains(regs.rip)) return settle(thread), Progressed::impossible;
    if (!space.can_leave(thread, regs)) return Progressed::impossible;
    if (!space.prepare(thread, regs.rip)) return Progressed::impossible;
    auto& own = state_of(thread);
    own.scratch.reset();
    own.scratch.emplace(space);
    own.let_go = false;
    if (!own.scratch->is_there() || !space.may_read_time(thread, own.scratch->address()))
      return give_up(own);
    thread.window = {.running = true,
                     .branches = std::min(branches, scratch::most_branches),
                     .taken = std::move(thread.window.taken),
                     .counts = std::move(thread.window.counts),
                     .last_taken = {},
                     .accesses = {},
                     .begun_at = regs.rip,
                     .regs = regs,
                     .stops = 1,
                     .wanted = some(static_cast<double>(usual_) * own.reach)};
    thread.window.regs.gs_base = 0;  // an arena's is not the program's
    thread.window.counts.clear();
    own.misses = 0;
    if (enter(thread)) return go_on(thread);
    thread.window.running = false;
    return give_up(own);
  }

  Progressed stopped(Thread& thread, Stop stop) override {
    ++thread.window.stops;
    Registers regs;
    if (!get_registers(thread.tid, regs) || !read_header(thread)) return Progressed::running;
    bool left = has_left(thread, regs);
    u64 pc = regs.rip;
    auto recovered = thread.space->cache().recover(regs, seen_.header);
    if (recovered.blocked)
      block_again(thread, *recovered.blocked, state_of(thread).scratch->mark_signal());
    return left ? at_leave(thread, regs, recovered)
                : interrupted(thread, stop, pc, regs, recovered);
  }

  void set_watched(bool all_the_time) override { patience_ = all_the_time ? patience : 0; }

  // A missing block: with no stop, it is translated while the thread waits.
  Answered answer(Thread& thread) override {
    auto& memory = thread.space->memory();
    const auto& cache = thread.space->cache();
    u64 at = state_of(thread).scratch->address(), request = 0;
    // First: what it asks for is in its place by then.
    if (!memory.read(at + scratch::request, &request, sizeof request)) return Answered::nothing;
    if (request != scratch::request_made) return Answered::nothing;
    TargetMemory::Word seen{at + scratch::request, scratch::request_seen};
    if (!memory.write_words({&seen, 1}) || !read_header(thread)) return Answered::nothing;
    if (seen_.header.left == 0 && can_write_gs_base()) return Answered::at_end;
    if (seen_.header.left == 0) return stop_at_end(thread), Answered::nothing;
    u64 code = code_asked_for(thread);
    if (code) ++thread.window.answers;
    bool answered = answer_with(thread, code, code ? cache.answered() : cache.refused());
    return answered ? Answered::code : Answered::nothing;
  }

  bool finish_at_end(Thread& thread) override {
    auto& window = thread.window;
    if (!read_ring(thread)) return false;
    ++window.answers;
    Registers regs = window.regs;
    take_registers(regs, seen_.header);
    lengthen(thread);
    collect(thread, regs, {});
    window.running = false;
    return true;
  }

  void let_go(Thread& thread) override {
    auto& cache = thread.space->cache();
    auto way = cache.way_out(thread.window.regs.rip, thread.window.regs.rcx);
    state_of(thread).let_go = true;  // also where that fails: it waits there, until it stops
    if (!thread.space->memory().write_words(way.words)) return;
    answer_with(thread, way.code, cache.let_go());
  }

  void stop_at_end(Thread& thread) override {
    answer_with(thread, 0, thread.space->cache().refused());
  }

  void settle(Thread& thread) override {
    Registers regs;
    if (!thread.space || !get_registers(thread.tid, regs)) return;
    auto& space = *thread.space;
    auto& own = state_of(thread);
    bool inside = space.cache().contains(regs.rip);
    if (!inside && !space.is_arena(regs.gs_base)) return own.scratch.reset();
    if (inside) {
      // At the end of its way out the thread has all of its registers but one.
      Recovered recovered;
      if (own.scratch && !is_out(thread) && read_header(thread))
        recovered = space.cache().recover(regs, seen_.header);
      else
        regs.rip = thread.window.regs.rip, regs.rcx = thread.window.regs.rcx;
      regs.orig_rax = u64(-1);
      if (recovered.blocked) block_again(thread, *recovered.blocked, own.scratch->mark_signal());
    }
    regs.gs_base = 0;
    set_registers(thread.tid, regs);
    own.scratch.reset();
  }

  bool is_leaving(Thread& thread) override {
    return thread.engine && state_of(thread).scratch && !thread.window.running;
  }

  void take_counts(Thread& thread) override {
    auto& own = state_of(thread);
    std::vector<EdgeCount> drained;
    if (!own.scratch || !own.scratch->take_counts(drained))
      thread.window.counts.clear();
    else
      thread.window.counts.insert(thread.window.counts.end(), drained.begin(), drained.end());
    for (const auto& one : thread.window.counts) thread.window.passed += one.count;
    if (!own.let_go || is_out(thread)) own.scratch.reset();
  }

 private:
  static Progressed give_up(CodeCacheState& own) {
    own.scratch.reset();
    return Progressed::impossible;
  }

  static bool answer_with(Thread& thread, u64 code, u64 routine) {
    u64 at = state_of(thread).scratch->address();
    const std::array<TargetMemory::Word, 2> words{
        {{at + scratch::jump, code}, {at + scratch::request, routine}}};
    return thread.space->memory().write_words(words);
  }

  static bool can_write_gs_base() {
    constexpr unsigned long fsgsbase = 2;  // HWCAP2_FSGSBASE
    static const bool can = (getauxval(AT_HWCAP2) & fsgsbase) != 0;
    return can;
  }

  // A thread that was let go needs the scratch area no longer.
  static bool is_out(Thread& thread) {
    auto& own = state_of(thread);
    u64 left = 0;
    return own.scratch &&
           thread.space->memory().read(own.scratch->address() + scratch::patience, &left,
                                       sizeof left) &&
           static_cast<u32>(left) == 0;
  }

  // A random time, so that the end of a window is not always as far behind a random moment of the
  // program's time as the program takes for the same things again.
  u64 some(double usual) {
    return static_cast<u64>(usual * std::uniform_real_distribution<>(0.5, 1.5)(random_));
  }

  // From the state of the program to the beginning of a part of the window.
  bool enter(Thread& thread) {
    auto& space = *thread.space;
    const auto& window = thread.window;
    auto& own = state_of(thread);
    u64 code = space.cache().enter(window.regs.rip);
    constexpr u32 as_many_as_there_is_time_for = 1 << 24;
    auto header =
        space.cache().header(window.branches, as_many_as_there_is_time_for, turns_of_pass);
    // The time is looked at wherever the program may be then.
    header.left = own.first_turns = 1 + random_() % turns_of_pass;
    header.time_left = header.time_left_before = window.wanted;
    header.next_pair = own.scratch->next_pair();
    header.logged = log_.begin();
    return code && send_in(thread, window.regs, header, code);
  }

  // With the program's registers, to `code`.
  bool send_in(Thread& thread, Registers regs, scratch::Header header, u64 code) const {
    auto& space = *thread.space;
    u64 at = state_of(thread).scratch->address();
    note_registers(header, regs);
    header.fs_base = regs.fs_base;
    header.jump = code;
    header.self = at;
    header.patience = patience_;
    header.request = 0;
    regs.rip = space.cache().start();
    regs.gs_base = at;
    regs.orig_rax = u64(-1);
    Bytes bytes(reinterpret_cast<const u8*>(&header), sizeof header);
    return space.memory().write(at, bytes) && set_registers(thread.tid, regs);
  }

  static Progressed go_on(Thread& thread) {
    resume(thread.tid, Resume::freely);
    return Progressed::running;
  }

  Progressed at_leave(Thread& thread, Registers& regs, const Recovered& recovered) {
    regs.orig_rax = u64(-1);
    const auto& header = seen_.header;
    if (header.left == 0) return all_over(thread, regs, recovered);
    auto& own = state_of(thread);
    if (own.misses >= most_misses) return finish(thread, regs, recovered);
    u64 code = 0;
    if (is_instruction_of_call(thread.space->code_at(regs.rip)))
      code = thread.space->enter_call(regs);
    else
      code = after_miss(thread, regs.rip);
    if (thread.gone) return Progressed::running;
    if (!code) return cut_short(thread, regs, recovered);
    take_newest(thread);
    if (!send_in(thread, regs, header, code)) return cut_short(thread, regs, {});
    return go_on(thread);
  }

  // 0: the thread is to stop for it.
  u64 code_asked_for(Thread& thread) {
    auto& space = *thread.space;
    u64 original = seen_.header.target;
    bool possible = state_of(thread).misses < most_misses && space.cache().reaches(original) &&
                    !is_instruction_of_call(space.code_at(original));
    u64 code = possible ? after_miss(thread, original) : 0;
    if (code) take_newest(thread);
    return code;
  }

  // The branch that has led to what was missing, where it is not counted yet. Its pair had no room
  // if there are as many as there can be.
  void take_newest(Thread& thread) {
    auto& header = seen_.header;
    auto edge = static_cast<u32>(header.edge);
    auto& counts = thread.window.counts;
    if (edge != scratch::no_edge)
      counts.push_back({.edge = edge, .count = 1, .target = header.target});
    if (header.next_pair < scratch::pairs_end) return;
    state_of(thread).scratch->take_counts(counts);
    header.next_pair = scratch::first_pair;
  }

  // The copy of code that has not been translated yet.
  u64 after_miss(Thread& thread, u64 original) {
    ++state_of(thread).misses;
    auto& cache = thread.space->cache();
    bool indirect = newest_is_indirect(thread);
    // Another piece of the address space may need an arena of its own.
    u64 code = thread.space->prepare(thread, original) ? cache.enter(original) : 0;
    if (code && indirect) cache.publish(original);
    return code;
  }

  Progressed interrupted(Thread& thread, Stop stop, u64 pc, const Registers& regs,
                         const Recovered& recovered) {
    auto& space = *thread.space;
    bool in_routine = space.cache().in_routine(pc);
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
    shorten(thread);
    if (!read_ring(thread)) return Progressed::running;
    collect(thread, regs, recovered);
    return end(thread);
  }

  bool read_header(Thread& thread) {
    u64 at = state_of(thread).scratch->address();
    return thread.space->memory().read(at, &seen_.header, sizeof seen_.header);
  }

  bool read_ring(Thread& thread) {
    u64 at = state_of(thread).scratch->address();
    size_t size = scratch::ring + (thread.window.branches + 1) * scratch::entry_size;
    return thread.space->memory().read(at, &seen_, size);
  }

  bool newest_is_indirect(Thread& thread) {
    if (!seen_.header.recorded) return static_cast<u32>(seen_.header.edge) != scratch::no_edge;
    u64 newest = seen_.header.left / scratch::entry_size + 1;
    if (newest > thread.window.branches) return true;
    u64 at = state_of(thread).scratch->address() + scratch::ring + newest * scratch::entry_size;
    scratch::Entry entry;
    return !thread.space->memory().read(at, &entry, sizeof entry) ||
           thread.space->cache().edge(entry.edge).to == 0;
  }

  static void take(Thread& thread, const scratch::Entry& entry) {
    Edge edge = thread.space->cache().edge(entry.edge);
    if (edge.to == 0) edge.to = entry.target, edge.indirect = true;
    thread.window.taken.push_back(edge);
  }

  Progressed all_over(Thread& thread, const Registers& regs, const Recovered& recovered) {
    lengthen(thread);
    return finish(thread, regs, recovered);
  }

  // The next window.
  static void lengthen(Thread& thread) {
    auto& reach = state_of(thread).reach;
    reach = std::min(reach * 1.1, 1.0);
  }

  void collect(Thread& thread, const Registers& regs, const Recovered& recovered) {
    auto& window = thread.window;
    auto& space = *thread.space;
    if (space.cache().purpose() == CopyFor::memory)
      window.accesses =
          log_.draw(space.memory(), state_of(thread).scratch->address(), seen_.header);
    u64 gs_base = window.regs.gs_base;
    window.regs = regs;
    window.regs.gs_base = gs_base;
    window.taken.clear();
    const auto& header = seen_.header;
    window.cycles = window.wanted - header.time_left;  // which is negative where a pass took longer
    u64 left = std::min<u64>(header.left / scratch::entry_size, window.branches);
    for (u64 n = header.recorded ? window.branches : left; n > left; --n) {
      take(thread, seen_.ring[n]);
      window.counts.push_back(
          {.edge = seen_.ring[n].edge, .count = 1, .target = seen_.ring[n].target});
    }
    window.cycles_at_end = cycles_at_end(state_of(thread), window);
    if (!recovered.unrecorded) return;
    if (header.recorded) window.taken.push_back(*recovered.unrecorded);
    window.last_taken = recovered.unrecorded;
    ++window.passed;
  }

  // By the time of the last pass before the branches that are recorded, which tell how many there
  // are for a turn.
  double cycles_at_end(const CodeCacheState& own, const Window& window) const {
    const auto& header = seen_.header;
    auto is_turn = [](const Edge& edge) { return edge.indirect || edge.to <= edge.from; };
    auto turns = static_cast<double>(std::ranges::count_if(window.taken, is_turn));
    if (turns == 0) return 0;
    bool is_first = header.time_left_before == window.wanted;
    auto of_turn = static_cast<double>(header.time_left_before - header.time_left) /
                   (is_first ? own.first_turns : turns_of_pass);
    return of_turn * turns / static_cast<double>(window.taken.size());
  }

  // Windows that are cut short all would end at the same places.
  static void shorten(Thread& thread) {
    auto& reach = state_of(thread).reach;
    reach = std::max(reach / 2, shortest_reach);
    thread.window.cut_short = true;
  }

  Progressed cut_short(Thread& thread, const Registers& regs, const Recovered& recovered) {
    shorten(thread);
    return finish(thread, regs, recovered);
  }

  Progressed finish(Thread& thread, const Registers& regs, const Recovered& recovered) {
    if (!read_ring(thread)) return Progressed::running;
    collect(thread, regs, recovered);
    return end(thread);
  }

  static Progressed end(Thread& thread) {
    set_registers(thread.tid, thread.window.regs);
    thread.window.running = false;
    return Progressed::finished;
  }

  u64 usual_;
  u64 patience_ = 0;
  std::minstd_rand random_{1};  // the same for each recording
  AccessLog log_;
  Seen seen_;
};

}  // namespace

std::unique_ptr<WindowEngine> make_code_cache_engine(u64 cycles) {
  return std::make_unique<CodeCacheEngine>(cycles);
}

}  // namespace pgokit::record
