#include "record/software/whole_run.h"

#include <signal.h>
#include <sys/ptrace.h>

#include <optional>
#include <utility>

#include "record/software/stop_mark.h"
#include "record/system/proc_status.h"
#include "record/x86/instruction.h"
#include "record/x86/system_call.h"

namespace pgokit::record {

// What is kept of a thread. Gone with it, whatever has ended it.
struct WholeRunCounter::State : EngineState {
  State(WholeRunCounter& counter, FollowedThread& thread) : counter(counter), thread(thread) {}
  ~State() override {
    counter.waiting_.erase(&thread);
    counter.resting_.erase(&thread);
    if (counter.inside_.erase(&thread)) space->come_out();
    if (area >= 0) space->release_scratch(area);
  }

  WholeRunCounter& counter;
  FollowedThread& thread;
  std::shared_ptr<AddressSpace> space;
  int area = -1;            // of `space`
  std::optional<u64> next;  // counting stopped there; it goes on without a break if it does there
  bool stepping = false;    // the trap of a step is still to come
  u64 stepped_from = 0;
  bool known = false;  // nothing has changed since windows were possible
  ThreadContext context;
  u64 uncopied = 0;       // times that it has met code that may not be copied,
  u64 uncopied_when = 0;  // since that many rests_
  u64 interrupted = 0;    // at the first instruction of a handler: the stack pointer before
};

namespace {

constexpr u64 trap_flag = 0x100;

scratch::Header header_of(AddressSpace& space, int area) {
  scratch::Header header{};
  space.memory().read(space.cache().scratch(static_cast<u64>(area)), &header, sizeof header);
  return header;
}

}  // namespace

WholeRunCounter::WholeRunCounter(RecordingFile& recording, bool by_context)
    : recording_(recording) {
  if (by_context) contexts_ = std::make_unique<ContextCounter>(counter_);
}

void WholeRunCounter::write_counts(bool part_of_run) {
  if (contexts_) contexts_->hand_over();
  auto counts = counter_.counts(1);
  counts.part_of_run = part_of_run;
  if (contexts_) {
    auto contexts = contexts_->contexts(counts);
    counts_.contexts = contexts.nodes.size();
    counts_.cut_contexts = contexts.cut;
    recording_.branch_contexts(contexts, counts);
  }
  recording_.branch_counts(std::move(counts), counter_.files());
}

WholeRunCounter::State& WholeRunCounter::state_of(FollowedThread& thread) {
  return static_cast<State&>(*thread.engine);
}

void WholeRunCounter::refresh(FollowedThread& thread) {
  auto& space = *thread.space;
  space.cache().set_has_run([&](u64 address) { return counter_.has_run(space, address); });
  space.set_counts_user([&](std::span<const EdgeCount> counts) { count(space, counts); });
  if (space.take_unnamed()) recording_.comm(thread.pid, thread.pid, true);
  for (const auto& mapping : space.refresh()) recording_.mapped(thread.pid, thread.tid, mapping);
}

void WholeRunCounter::count(AddressSpace& space, std::span<const EdgeCount> counts) {
  for (const auto& one : counts) counts_.counted += one.count;
  counter_.add(space, counts, 1);
}

void WholeRunCounter::take_counts(FollowedThread& thread) {
  auto& own = state_of(thread);
  std::vector<EdgeCount> counts;
  if (own.area >= 0 && own.space->take_counts(own.area, counts)) count(*own.space, counts);
}

void WholeRunCounter::take_last_counts(FollowedThread& thread) {
  auto& own = state_of(thread);
  std::vector<EdgeCount> counts;
  if (own.area >= 0 && own.space->take_last_counts(own.area, counts)) count(*own.space, counts);
}

// Counting stops at a place, and goes on at another one.
void WholeRunCounter::notice_end(FollowedThread& thread) {
  auto& own = state_of(thread);
  if (own.next) {
    counter_.ends(*thread.space, *own.next, 1);
    if (contexts_) contexts_->ends(own.context, *thread.space, *own.next);
  }
  own.next.reset();
}

void WholeRunCounter::goes_on_at(FollowedThread& thread, const Registers& regs) {
  auto& own = state_of(thread);
  u64 interrupted = std::exchange(own.interrupted, 0);
  if (own.next == regs.rip) return own.next.reset();
  notice_end(thread);
  counter_.begins(*thread.space, regs.rip, 1);
  if (contexts_) contexts_->begins(own.context, *thread.space, regs, interrupted);
}

// The log is empty then. Its bytes are the program's to change, and so is what tells where it ends.
void WholeRunCounter::take_log(FollowedThread& thread, const scratch::Header& header) {
  auto& own = state_of(thread);
  auto& space = *thread.space;
  u64 begin = header.left + 4;
  if (begin >= scratch::contexts::log_size) return;
  u64 area = space.cache().scratch(static_cast<u64>(own.area));
  log_.resize(scratch::contexts::log_size - begin);
  u64 log = area + scratch::contexts::log;
  if (!space.memory().read_data(log + begin, log_.data(), log_.size())) return;
  counts_.counted += contexts_->add(own.context, space, BranchLog(log_));
  TargetMemory::Word empty{area + scratch::left, scratch::contexts::empty_log};
  space.memory().write_words({&empty, 1});
}

bool WholeRunCounter::has_area(FollowedThread& thread) {
  auto& own = state_of(thread);
  auto& space = *thread.space;
  if (own.area >= 0) return space.make_ready(own.area);
  own.area = space.take_scratch();
  if (own.area < 0) return false;
  own.space = thread.space;
  u64 at = space.cache().scratch(static_cast<u64>(own.area));
  auto header = space.cache().header(1);
  header.edge = scratch::no_edge;
  header.self = at;
  return space.memory().write(at, Bytes(reinterpret_cast<const u8*>(&header), sizeof header));
}

bool WholeRunCounter::may_go_in(FollowedThread& thread, const Registers& regs) {
  auto& own = state_of(thread);
  auto& space = *thread.space;
  if (!runs_64_bit_code(regs)) space.give_up("it runs 32-bit code");
  if (regs.gs_base != 0 && !space.is_arena(regs.gs_base)) return false;
  if (regs.eflags & trap_flag || (!own.known && !space.can_leave(thread, regs))) return false;
  own.known = true;
  return space.obstacle().empty();
}

// What other processes have run of the same file is translated at once: a stop for each block that
// is missing would take longer.
bool WholeRunCounter::prepare(FollowedThread& thread, u64 address) {
  auto& space = *thread.space;
  if (!images_.adopt(thread, thread.pid, space)) return false;
  if (!space.cache().reaches(address)) refresh(thread);  // there must be room for an arena
  if (!space.prepare(thread, address)) return false;
  space.cache().set_alone(space.nobody_inside());
  const auto* mapping = space.map().find(address);
  if (mapping && space.first_time_in(*mapping))
    space.cache().enter_all(counter_.targets_in(*mapping));
  return true;
}

// From outside, where the program is at `regs`. False: it is still there, and stopped.
bool WholeRunCounter::enter(FollowedThread& thread, Registers regs) {
  auto& space = *thread.space;
  if (space.due_for_refresh(regs.rip)) refresh(thread);
  space.check_copies();
  if (!may_go_in(thread, regs) || !prepare(thread, regs.rip) || !has_area(thread)) {
    if (!space.obstacle().empty() && obstacle_.empty()) obstacle_ = space.obstacle();
    return thread.gone;
  }
  u64 code = space.needs_all_outside() ? 0 : space.cache().enter(regs.rip);
  if (!code && space.needs_all_outside()) {
    if (!space.make_room_when_empty()) {
      waiting_.insert(&thread);
      for (auto* other : inside_)
        if (other->space == thread.space) ptrace(PTRACE_INTERRUPT, other->tid, nullptr, nullptr);
      return true;
    }
    code = space.cache().enter(regs.rip);
  }
  return code ? go_in(thread, regs, code) : step_over(thread, regs);
}

bool WholeRunCounter::go_in(FollowedThread& thread, Registers regs, u64 code) {
  auto& own = state_of(thread);
  auto& space = *thread.space;
  if (!space.go_in(own.area)) return false;
  goes_on_at(thread, regs);
  thread.window.running = true;
  thread.window.regs.gs_base = regs.gs_base;
  inside_.insert(&thread);
  regs.rip = code;
  regs.gs_base = space.cache().scratch(static_cast<u64>(own.area));
  regs.orig_rax = u64(-1);
  ++counts_.stops;
  set_registers(thread.tid, regs);
  resume(thread.tid, Resume::freely);
  return true;
}

// An instruction that is not copied. What the kernel must not interrupt is no instruction that
// could be stepped over.
bool WholeRunCounter::step_over(FollowedThread& thread, Registers regs) {
  auto code = thread.space->code_at(regs.rip);
  u8 length = 0;
  u64 target = 0;
  if (code.empty()) return false;
  if (pop_flags(code, regs, thread.space->memory())) {
    auto before = regs;
    --before.rip;
    goes_on_at(thread, before), state_of(thread).next = regs.rip;
    set_registers(thread.tid, regs);
    return enter(thread, regs);
  }
  flag_use(code, regs.rip, length, target);
  auto& own = state_of(thread);
  if (length > 0) goes_on_at(thread, regs), own.next = regs.rip + length;
  step(thread, regs, 0);
  return true;
}

void WholeRunCounter::go_on_outside(FollowedThread& thread, const Registers& regs) {
  const auto* mapping = thread.space ? thread.space->map().find(regs.rip) : nullptr;
  ++counts_.without;
  counts_.generated += mapping && mapping->is_generated();
  counts_.crowded += thread.space && thread.space->is_crowded(regs.rip);
  bool given_up = thread.space && !thread.space->obstacle().empty();
  bool rests = !given_up && needs_rest(state_of(thread));
  if (rests) resting_.insert(&thread);
  resume(thread.tid, given_up || rests ? Resume::freely : Resume::to_system_call, thread.deliver);
}

bool WholeRunCounter::needs_rest(State& own) const {
  constexpr u64 most = 10;
  if (std::exchange(own.uncopied_when, rests_) != rests_) own.uncopied = 0;
  return ++own.uncopied > most;
}

std::vector<FollowedThread*> WholeRunCounter::take_resting() {
  std::vector<FollowedThread*> resting(resting_.begin(), resting_.end());
  resting_.clear();
  ++rests_;
  return resting;
}

void WholeRunCounter::go_on(FollowedThread& thread) {
  Registers regs;
  if (!thread.space || !get_registers(thread.tid, regs)) {
    resume(thread.tid, Resume::to_system_call, thread.deliver);
    return;
  }
  if (!thread.engine) thread.engine = std::make_unique<State>(*this, thread);
  auto stop = thread.last_stop;
  if (thread.deliver) {
    // To the first instruction of the handler, if there is one.
    auto code = thread.space->code_at(regs.rip);
    if (pop_flags(code, regs, thread.space->memory())) {
      set_registers(thread.tid, regs);
      state_of(thread).next = regs.rip;
    }
    state_of(thread).interrupted = regs.rsp;
    step(thread, regs, thread.deliver);
    return;
  }
  switch (stop.event()) {
    case PTRACE_EVENT_EXEC:
      // It stops again where the program begins.
      ptrace(PTRACE_INTERRUPT, thread.tid, nullptr, nullptr);
      resume(thread.tid, Resume::freely);
      return;
    case PTRACE_EVENT_CLONE:
    case PTRACE_EVENT_FORK:
    case PTRACE_EVENT_VFORK:
      resume(thread.tid, Resume::to_system_call);
      return;
    default:
      break;
  }
  bool is_inside_call = stop.is_system_call() && is_at_call(thread.tid, PTRACE_SYSCALL_INFO_ENTRY);
  if (is_inside_call || in_system_call(regs)) {
    resume(thread.tid, Resume::to_system_call);
    return;
  }
  if (!enter(thread, regs)) go_on_outside(thread, regs);
}

bool WholeRunCounter::is_own_signal(FollowedThread& thread) {
  siginfo_t info;
  if (!thread.engine) return false;
  auto& own = state_of(thread);
  if (thread.deliver != SIGTRAP || !get_signal(thread.tid, info)) return false;
  if (info.si_code == SIGTRAP) return true;  // at a handler
  bool is_step = info.si_code == TRAP_TRACE || info.si_code == TRAP_BRKPT;
  if (!is_step || !own.stepping) return false;
  own.stepping = false;
  own.interrupted = 0;  // there is no handler
  hide_trap_flag(thread);
  return true;
}

// Where the instruction stepped over was pushf.
void WholeRunCounter::hide_trap_flag(FollowedThread& thread) {
  constexpr u8 push_flags = 0x9c;
  auto& memory = thread.space->memory();
  Registers regs;
  u8 code = 0;
  u16 flags = 0;
  if (!memory.read(state_of(thread).stepped_from, &code, 1) || code != push_flags ||
      !get_registers(thread.tid, regs) || !memory.read(regs.rsp, &flags, sizeof flags))
    return;
  flags &= static_cast<u16>(~trap_flag);
  memory.write(regs.rsp, Bytes(reinterpret_cast<const u8*>(&flags), sizeof flags));
}

void WholeRunCounter::step(FollowedThread& thread, const Registers& regs, int signal) {
  auto& own = state_of(thread);
  own.stepping = true;
  own.stepped_from = regs.rip;
  resume(thread.tid, Resume::one_instruction, signal);
}

// The thread has the program's registers then.
bool WholeRunCounter::come_out(FollowedThread& thread, Registers& regs) {
  auto& own = state_of(thread);
  auto& space = *thread.space;
  auto header = header_of(space, own.area);
  auto recovered = space.cache().recover(regs, header);
  if (contexts_) take_log(thread, header);
  if (recovered.unrecorded) {
    if (contexts_)
      contexts_->add(own.context, space, *recovered.unrecorded, regs.rsp);
    else
      counter_.add(space, *recovered.unrecorded, 1);
    ++counts_.counted;
  }
  if (recovered.blocked) block_again(thread, *recovered.blocked, space.mark_signal(own.area));
  regs.gs_base = thread.window.regs.gs_base;
  own.next = regs.rip;
  thread.window.running = false;
  if (inside_.erase(&thread)) space.come_out();
  if (header.next_pair == scratch::pairs_end) take_counts(thread);
  return recovered.unrecorded && recovered.unrecorded->indirect;
}

bool WholeRunCounter::stopped(FollowedThread& thread, Stop stop) {
  Registers regs;
  if (!get_registers(thread.tid, regs)) return true;
  if (stop.event() == PTRACE_EVENT_EXIT) return false;
  u64 in_copy = regs.rip;
  bool left = has_left(thread, regs);
  bool indirect = come_out(thread, regs);
  if (!left) {
    correct_fault(thread, in_copy, regs.rip);
    set_registers(thread.tid, regs);
    return false;
  }
  regs.orig_rax = u64(-1);
  auto& space = *thread.space;
  auto next = space.code_at(regs.rip);
  if (is_instruction_of_call(next)) return make_call(thread, regs);
  if (pop_flags(next, regs, space.memory())) {  // the trap flag is among them
    state_of(thread).next = regs.rip;
    set_registers(thread.tid, regs);
    return false;
  }
  u64 code =
      space.obstacle().empty() && prepare(thread, regs.rip) ? space.cache().enter(regs.rip) : 0;
  if (thread.gone) return true;
  if (code && indirect) space.cache().publish(regs.rip);
  if (code && go_in(thread, regs, code)) return true;
  set_registers(thread.tid, regs);
  return false;
}

// The copy makes it where it leaves all code as it is. Otherwise the thread makes it outside, and
// comes back when it returns.
bool WholeRunCounter::make_call(FollowedThread& thread, const Registers& regs) {
  auto& own = state_of(thread);
  auto& space = *thread.space;
  if (u64 code = space.enter_call(regs); code && go_in(thread, regs, code)) return true;
  auto effect = space.effect_of_call(regs);
  own.next = regs.rip + call_length;
  if (effect.changes_code) space.expire_map();
  if (effect.relocated) space.forget_sequences();
  if (effect.relocated || sets_rules(regs)) own.known = false;
  if (executes_program(regs))
    take_counts(thread), notice_end(thread), images_.keep(thread.pid, space);
  set_registers(thread.tid, regs);
  resume(thread.tid, Resume::to_system_call);
  return true;
}

// The address of a faulting instruction, where the kernel tells that.
void WholeRunCounter::correct_fault(FollowedThread& thread, u64 in_copy, u64 in_program) {
  siginfo_t info;
  if (!thread.deliver || !get_signal(thread.tid, info) || !caused_by_instruction(info)) return;
  if (info.si_addr != reinterpret_cast<void*>(in_copy)) return;
  info.si_addr = reinterpret_cast<void*>(in_program);
  set_signal(thread.tid, info);
}

void WholeRunCounter::ends(FollowedThread& thread) {
  if (!thread.engine || !thread.space) return;
  Registers regs;
  waiting_.erase(&thread);
  if (thread.window.running && get_registers(thread.tid, regs)) come_out(thread, regs);
  notice_end(thread);
  take_last_counts(thread);
  images_.keep(thread.pid, *thread.space);
  thread.engine.reset();  // nothing of it keeps the address space
}

std::vector<FollowedThread*> WholeRunCounter::take_waiting() {
  std::vector<FollowedThread*> waiting(waiting_.begin(), waiting_.end());
  waiting_.clear();
  return waiting;
}

}  // namespace pgokit::record
