// A block is laid out as: what restores the registers that indirect branches need, straight-line
// copy, ending (stub of the last branch, or a link to what follows), one stub for each conditional
// branch on the way, and what is needed seldom: until an exit is linked, and while a window
// records.
//
// A stub borrows rcx only, and leaves the flags alone where they matter behind the branch: lea
// counts, jrcxz tests. Where they do not, that of a direct branch is one addition, in windows with
// a comparison. That of an indirect branch finds its counter, and where to go, by its target. A
// stub that has not changed the program's memory or rsp yet can be undone by giving back what it
// has borrowed: so a fault there is one of the original branch. From then on the branch is as good
// as made.
#include "record/x86/memory_log.h"
#include "record/x86/scratch.h"
#include "record/x86/system_call.h"
#include "record/x86/translator.h"
#include "record/x86/window_clock.h"

namespace pgokit::record {
namespace {

constexpr size_t most_instructions = 32;
constexpr size_t most_conditionals = 6;

}  // namespace

Translator::Translator(u64 original, Bytes bytes, const Place& place, CopyFor purpose)
    : bytes_(bytes),
      place_(place),
      whole_run_(is_whole_run(purpose)),
      logs_(purpose == CopyFor::contexts),
      logs_memory_(purpose == CopyFor::memory),
      out_(place.code),
      at_(original) {
  out_.value(original);
  result_.block.original = original;
  result_.block.code = out_.here();
  emit_way_in();
  result_.block.entry = out_.here();
}

Translation Translator::run() {
  while (step()) ++count_;
  if (count_ == 0 && !ended_) return {};
  if (!ended_) finish();
  for (const auto& taken : conditionals_) {
    out_.bind(taken.fixup);
    emit_taken(taken.edge, 0);
  }
  emit_ways_out();
  for (const auto& [fixup, value] : constants_) out_.bind(fixup), out_.value(value);
  result_.block.end = at_;
  result_.block.code_end = out_.here();
  result_.code = std::move(out_.code());
  return std::move(result_);
}

// False when the block has ended or has to end before the instruction.
bool Translator::step() {
  if (ended_ || count_ == most_instructions) return false;
  if (is_instruction_of_call(bytes_)) return emit_system_call(), true;
  if (whole_run_ && pops_flags(bytes_)) return emit_pop_flags(), true;
  one_ = decode_for_copy(bytes_, at_);
  if (one_.kind == CopyKind::never) return stopped_ = true, false;
  if (is_conditional() && conditionals_.size() == most_conditionals) return false;
  u64 from = at_;
  Begun begun{out_.offset(), result_.block.recoveries.size(), result_.accesses.size()};
  state_is(at_, false);
  Bytes raw = bytes_.first(one_.length);
  bytes_ = bytes_.subspan(one_.length);
  at_ += one_.length;
  if (logs_memory_) log_accesses(from, raw);
  if (!emit(from, raw)) return retract(from, raw, begun), false;
  return true;
}

// Stubs before the instruction, one for each of its accesses.
void Translator::log_accesses(u64 from, Bytes raw) {
  for (const auto& operand : operands_in_memory(raw, from)) {
    u32 unless = 0;
    if (operand.repeated) {
      if (operand.narrow) out_.bytes({0x67});
      out_.bytes({0xe3, 0x00});  // jrcxz, jecxz: there is none
      unless = out_.offset() - 1;
    }
    out_.save(Reg::rcx, scratch::rcx), out_.save(Reg::r11, scratch::r11);
    add_recovery({.original = from, .rcx = true, .r11 = true});
    log_access(out_, operand, place_.first_access + static_cast<u32>(result_.accesses.size()));
    out_.load(Reg::r11, scratch::r11), out_.load(Reg::rcx, scratch::rcx);
    state_is(from, false);
    if (unless) out_.bind8(unless);
    result_.accesses.push_back(operand.access);
  }
}

bool Translator::is_conditional() const {
  return one_.kind == CopyKind::conditional || one_.kind == CopyKind::short_conditional;
}

// Takes back an instruction that turned out not to be reachable from here.
void Translator::retract(u64 from, Bytes raw, const Begun& begun) {
  out_.code().resize(begun.code);
  result_.block.recoveries.resize(begun.recoveries);
  result_.accesses.resize(begun.accesses);
  bytes_ = {raw.data(), raw.size() + bytes_.size()};
  at_ = from;
  stopped_ = true;
}

bool Translator::emit(u64 from, Bytes raw) {
  switch (one_.kind) {
    case CopyKind::plain:
      return emit_plain(raw);
    case CopyKind::conditional:
      out_.bytes({0x0f, static_cast<u8>(0x80 | one_.condition)});
      conditionals_.push_back({out_.rel32(), {from, one_.target, EdgeKind::jump, one_.length}});
      return true;
    case CopyKind::short_conditional:
      return emit_short(from, raw);
    case CopyKind::jump:
      ended_ = true;
      return emit_taken({from, one_.target, EdgeKind::jump, one_.length}, 0), true;
    case CopyKind::call:
      ended_ = true;
      return emit_taken({from, one_.target, EdgeKind::call, one_.length}, at_), true;
    case CopyKind::indirect_jump:
    case CopyKind::indirect_call:
    case CopyKind::ret:
      return emit_indirect(from, raw);
    case CopyKind::never:
      break;
  }
  return false;
}

// The instruction's bytes; a displacement relative to rip is moved. False where it does not fit.
bool Translator::put_moved(std::vector<u8> copy, u32 displacement, u64 next) {
  if (displacement != 0) {
    i32 old;
    std::memcpy(&old, copy.data() + displacement, 4);
    auto moved = static_cast<i64>(next + static_cast<u64>(i64(old)) - (out_.here() + copy.size()));
    auto fits = static_cast<i32>(moved);
    if (fits != moved) return false;
    std::memcpy(copy.data() + displacement, &fits, 4);
  }
  out_.bytes(Bytes(copy));
  return true;
}

bool Translator::emit_plain(Bytes raw) {
  return put_moved({raw.begin(), raw.end()}, one_.rip_displacement, at_);
}

// loop and jrcxz have only a short form: over a jump, to a jump.
bool Translator::emit_short(u64 from, Bytes raw) {
  std::vector<u8> copy(raw.begin(), raw.end());
  copy.back() = 2;
  out_.bytes(Bytes(copy));
  state_is(at_, false);
  out_.bytes({0xeb, 0x05});  // not taken: over the next jump
  Edge edge{from, one_.target, EdgeKind::jump, one_.length};
  state_is_behind(edge, false);
  out_.bytes({0xe9});
  conditionals_.push_back({out_.rel32(), edge});
  return true;
}

// What follows in the copy begins in the program's state at `original`.
void Translator::state_is(u64 original, bool rcx_saved) {
  add_recovery({.address = Recovery::Address::fixed, .original = original, .rcx = rcx_saved});
}
// In the state behind a branch that is made and not in the ring.
void Translator::state_is_behind(const Edge& edge, bool rcx_saved) {
  add_recovery({.address = Recovery::Address::fixed,
                .original = edge.to,
                .rcx = rcx_saved,
                .unrecorded = Recovery::Unrecorded::edge,
                .edge = edge});
}
void Translator::state_is_behind_indirect() {
  add_recovery({.address = Recovery::Address::in_rcx,
                .rcx = true,
                .unrecorded = Recovery::Unrecorded::edge,
                .edge = indirect_edge()});
}
void Translator::add_recovery(Recovery recovery) {
  recovery.offset = static_cast<u32>(out_.here() - result_.block.code);
  result_.block.recoveries.push_back(recovery);
}

u32 Translator::add_edge(const Edge& edge) {
  u32 number = place_.first_edge + static_cast<u32>(result_.edges.size());
  result_.edges.push_back(edge);
  return edge.to == 0 ? number | scratch::indirect : number;
}

u64 Translator::add_exit(u64 target) {
  u64 slot = place_.slots + 8 * result_.exits.size();
  result_.exits.push_back({.target = target, .slot = slot});
  return slot;
}

// Makes a branch with a fixed target; with a return address it is a call.
void Translator::emit_taken(const Edge& edge, u64 return_address) {
  if (logs_) return emit_logged(edge, return_address);
  if (whole_run_) return emit_counted(edge, return_address);
  emit_windowed(edge, return_address);
}

// The target into rcx, by the program's own operand.
bool Translator::load_target(Bytes raw) {
  state_is(branch_, true);
  if (one_.kind == CopyKind::ret) {
    if (one_.released)
      out_.bytes({0x48, 0x8b, 0x0c, 0x24, 0x48, 0x8d, 0xa4, 0x24}),  // mov rcx, [rsp]; lea rsp,
          out_.value(u32{one_.released} + 8);                        // [rsp + 8 + n]
    else
      out_.bytes({0x59});  // pop rcx
    state_is_behind_indirect();
    return true;
  }
  u32 displacement = 0;
  auto load = load_of_operand(one_, raw, displacement);
  return put_moved(load, displacement, at_);
}

Edge Translator::indirect_edge() const {
  auto kind = one_.kind == CopyKind::ret             ? EdgeKind::ret
              : one_.kind == CopyKind::indirect_call ? EdgeKind::call
                                                     : EdgeKind::jump;
  return {branch_, 0, kind, one_.length};
}

bool Translator::emit_indirect(u64 from, Bytes raw) {
  branch_ = from;
  u32 begin = out_.offset();
  size_t recoveries = result_.block.recoveries.size();
  out_.save(Reg::rcx, scratch::rcx);
  out_.save(Reg::rax, scratch::rax), out_.save(Reg::rdx, scratch::rdx);
  if (!load_target(raw)) {
    out_.code().resize(begin);
    result_.block.recoveries.resize(recoveries);
    return false;
  }
  emit_counted_indirect();
  return true;
}

// What follows cannot be copied: the window ends there. Otherwise the next block does it.
void Translator::finish() {
  state_is(at_, false);
  if (stopped_)
    leave_for(at_);
  else
    emit_exit(at_);
}

// The kernel breaks rcx, and keeps the flags.
void Translator::emit_system_call() {
  u64 from = at_;
  bytes_ = bytes_.subspan(call_length);
  at_ += call_length;
  state_is(from, false);
  out_.save(Reg::rcx, scratch::rcx);
  state_is(from, true);
  out_.bytes({0x0f, 0xb7, 0xc8});  // movzx ecx, ax
  out_.bytes({0x65, 0x0f, 0xb6, 0x89}), out_.value(scratch::calls);
  // movzx ecx, byte gs:[rcx + calls]
  out_.bytes({0xe3, 0x02});  // jrcxz: the tracer is to decide
  out_.bytes({0xeb, 0x00});  // jmp: over that
  u32 permitted = out_.offset() - 1;
  out_.load(Reg::rcx, scratch::rcx);
  leave_for(from);
  state_is(from, true);
  out_.bind8(permitted);
  if (from == result_.block.original) result_.block.call = out_.here();
  if (!whole_run_) stop_clock();
  out_.bytes({0x0f, 0x05});  // syscall
  add_recovery({.address = Recovery::Address::fixed, .original = at_, .behind_call = true});
  if (!whole_run_) start_clock();
  out_.rcx_is(at_);
  state_is(at_, false);
}

// The call's result is in rax.
void Translator::stop_clock() {
  out_.save(Reg::rax, scratch::rax);
  out_.save(Reg::rdx, scratch::rdx);
  add_recovery({.address = Recovery::Address::fixed,
                .original = at_ - call_length,
                .rcx = true,
                .rax_and_rdx = true});
  emit_clock_stopped(out_);
}
void Translator::start_clock() {
  out_.save(Reg::rax, scratch::rax);
  add_recovery({.address = Recovery::Address::fixed,
                .original = at_,
                .rax_and_rdx = true,
                .behind_call = true});
  emit_clock_started(out_);
}

Translation translate(u64 original, Bytes bytes, const Place& place, CopyFor purpose) {
  return Translator(original, bytes, place, purpose).run();
}

}  // namespace pgokit::record
