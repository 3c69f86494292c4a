// How branches are counted, and logged, in copies; what windows do beside that is in
// window_stubs.cc.
#include "record/x86/branch_log.h"
#include "record/x86/scratch.h"
#include "record/x86/translator.h"

namespace pgokit::record {

// Leaves with the program at `target`, and nothing left to be counted. Whoever has saved rcx
// comes in at the offset returned.
u32 Translator::leave_for(u64 target) {
  state_is(target, false);
  out_.save(Reg::rcx, scratch::rcx);
  u32 rcx_saved = out_.offset();
  state_is(target, true);
  out_.store_imm(scratch::edge, scratch::no_edge);
  out_.rcx_is(target);
  out_.save(Reg::rcx, scratch::target);
  out_.jump_gs(scratch::leave);
  return rcx_saved;
}

// push [rip + x]: no register is needed.
void Translator::push_constant(u64 value) {
  out_.bytes({0xff, 0x35});
  constants_.push_back({out_.rel32(), value});
  result_.return_sites.push_back(value);
}

void Translator::emit_counted(const Edge& edge, u64 return_address) {
  u32 counter = scratch::counters + 8 * add_edge(edge);
  if (return_address) state_is(edge.from, false), push_constant(return_address);
  state_is_behind(edge, false);
  if (flags_die_at(edge.to)) {
    emit_counter_raised(counter);
  } else {
    out_.save(Reg::rcx, scratch::rcx);
    state_is_behind(edge, true);
    out_.load(Reg::rcx, counter);
    out_.bytes({0x48, 0x8d, 0x49, 0x01});  // lea rcx, [rcx + 1]
    out_.save(Reg::rcx, counter);
    state_is(edge.to, true);
    out_.load(Reg::rcx, scratch::rcx);
  }
  state_is(edge.to, false);
  emit_exit(edge.to);
}

bool Translator::flags_die_at(u64 address) const {
  return place_.flags_die_at && place_.flags_die_at(address);
}

// Breaks the flags.
void Translator::emit_counter_raised(u32 counter) {
  out_.bytes({0x65, 0x48, 0x83, 0x04, 0x25}), out_.value(counter), out_.bytes({1});
  // add qword gs:[counter], 1
}

// Goes to the target's copy; by the way that emit_ways_out() makes until that is linked.
void Translator::emit_exit(u64 target) {
  u64 slot = add_exit(target);
  out_.bytes({0xe9});
  result_.exits.back().jump = out_.here();
  ways_out_.push_back({out_.rel32(), slot, target});
}

// Behind all that runs more often. A full log leads to its branch's one too, and so does the end of
// a window's pass.
void Translator::emit_ways_out() {
  for (size_t n = 0; n < ways_out_.size(); ++n) {
    auto& way = ways_out_[n];
    out_.bind(way.jump);
    state_is(way.target, false);
    out_.jump_through(way.slot);
    result_.exits[n].miss = out_.here();
    if (way.over) out_.bind(way.over);
    u32 rcx_saved = leave_for(way.target);
    if (way.recorded.jump) emit_recorded(way, rcx_saved);
    if (way.full) out_.patch(way.full, static_cast<i32>(rcx_saved - (way.full + 4)));
  }
}

// In place of emit_counted(): see branch_log.h.
void Translator::emit_logged(const Edge& edge, u64 return_address) {
  u32 number = add_edge(edge) | (return_address ? BranchLog::call : 0);
  u8 size = return_address ? BranchLog::call_size : BranchLog::direct_size;
  if (return_address) state_is(edge.from, false), push_constant(return_address);
  state_is_behind(edge, false);
  out_.save(Reg::rcx, scratch::rcx);
  state_is_behind(edge, true);
  out_.load32(Reg::rcx, scratch::left);
  out_.bytes({0x65, 0xc7, 0x81}), out_.value(scratch::contexts::log), out_.value(number);
  // mov dword gs:[rcx + log], number
  if (return_address) out_.bytes({0x65, 0x48, 0x89, 0xa1}), out_.value(scratch::contexts::log - 8);
  // mov gs:[rcx + log - 8], rsp
  out_.bytes({0x8d, 0x49, static_cast<u8>(-size)});  // lea ecx, [rcx - size]
  out_.save32(Reg::rcx, scratch::left);
  state_is(edge.to, true);
  emit_room_left();
  u32 full = out_.offset() - 1;
  out_.load(Reg::rcx, scratch::rcx);
  state_is(edge.to, false);
  emit_exit(edge.to);
  out_.bind8(full);
  state_is(edge.to, true);
  out_.bytes({0xe9});
  ways_out_.back().full = out_.rel32();
}

// Jumps where the log is full, by the byte before what follows.
void Translator::emit_room_left() {
  out_.bytes({0x65, 0x0f, 0xb7, 0x0c, 0x25}), out_.value(scratch::left + 2);
  // movzx ecx, word gs:[left + 2]
  out_.bytes({0xe3, 0x00});  // jrcxz
}

// The target is in rcx; rax is free.
void Translator::emit_indirect_logged(u32 number) {
  constexpr u32 log = scratch::contexts::log;
  out_.load32(Reg::rax, scratch::left);
  out_.bytes({0x65, 0xc7, 0x80}), out_.value(log), out_.value(number);
  // mov dword gs:[rax + log], number
  out_.bytes({0x65, 0x48, 0x89, 0xa0}), out_.value(log - 8);   // mov gs:[rax + log - 8], rsp
  out_.bytes({0x65, 0x48, 0x89, 0x88}), out_.value(log - 16);  // mov gs:[rax + log - 16], rcx
  out_.bytes({0x8d, 0x40, static_cast<u8>(-BranchLog::indirect_size)});  // lea eax, [rax - 20]
  out_.save32(Reg::rax, scratch::left);
}

// Before the block: indirect branches have left two registers to be restored.
void Translator::emit_way_in() {
  add_recovery({.original = result_.block.original, .rax_and_rdx = true});
  out_.load(Reg::rdx, scratch::rdx);
  out_.load(Reg::rax, scratch::rax);
}

// The target is in rdx, negated.
void Translator::emit_target_saved() {
  out_.bytes({0x48, 0x89, 0xd1});        // mov rcx, rdx
  out_.bytes({0x48, 0xf7, 0xd1});        // not rcx
  out_.bytes({0x48, 0x8d, 0x49, 0x01});  // lea rcx, [rcx + 1]
  out_.save(Reg::rcx, scratch::target);
}

// The target is in rcx; rcx, rax and rdx are saved. The pair of branch and target that was met last
// at its place of the index is found here, the other ones by the routine `dispatch`, which does all
// of them where a window records.
void Translator::emit_counted_indirect() {
  using scratch::Pair;
  u32 place = scratch::place_of(place_.site);
  result_.uses_site = true;
  auto at_pair = [&](std::initializer_list<u8> opcode, size_t field) {
    out_.bytes({0x65, 0x48}), out_.bytes(opcode), out_.value(static_cast<u32>(field));
  };
  bool is_call = one_.kind == CopyKind::indirect_call;
  if (is_call) state_is(branch_, true), push_constant(at_);
  Recovery state{.rcx = true, .rax_and_rdx = true, .edge = indirect_edge()};
  auto target_is = [&](Recovery::Address where) { state.address = where, add_recovery(state); };
  auto is_recorded = [&] { state.unrecorded = Recovery::Unrecorded::none, add_recovery(state); };
  state.unrecorded = Recovery::Unrecorded::edge;
  target_is(Recovery::Address::in_rcx);
  u32 number = add_edge(indirect_edge());
  if (logs_) emit_indirect_logged(number | (is_call ? BranchLog::call : 0)), is_recorded();
  out_.bytes({0x0f, 0xb7, 0xc1});                           // movzx eax, cx
  out_.bytes({0x65, 0x8b, 0x04, 0x85}), out_.value(place);  // mov eax, gs:[rax * 4 + place]
  at_pair({0x8b, 0x90}, offsetof(Pair, key));               // mov rdx, gs:[rax + key]
  out_.bytes({0x48, 0x8d, 0x0c, 0x11});                     // lea rcx, [rcx + rdx]
  target_is(Recovery::Address::in_rcx_less_rdx);
  out_.bytes({0xe3, 0x00});  // jrcxz: found
  u32 found = out_.offset() - 1;
  out_.bytes({0x48, 0x89, 0xd0});              // mov rax, rdx
  out_.bytes({0x48, 0xf7, 0xd0});              // not rax
  out_.bytes({0x48, 0x8d, 0x4c, 0x01, 0x01});  // lea rcx, [rcx + rax + 1]
  target_is(Recovery::Address::in_rcx);
  out_.save(Reg::rcx, scratch::target);
  out_.store_imm(scratch::edge, logs_ ? scratch::no_edge : number);
  out_.store_imm(scratch::place, place);
  out_.jump_gs(scratch::dispatch);
  out_.bind8(found);
  u32 full = 0;
  target_is(Recovery::Address::in_minus_rdx);
  if (logs_) {
    emit_room_left();
    full = out_.offset() - 1;
  } else {
    if (!whole_run_) emit_unless_counting(number);
    at_pair({0x8b, 0x88}, offsetof(Pair, count));  // mov rcx, gs:[rax + count]
    out_.bytes({0x48, 0x8d, 0x49, 0x01});          // lea rcx, [rcx + 1]
    at_pair({0x89, 0x88}, offsetof(Pair, count));  // mov gs:[rax + count], rcx
    is_recorded();
    if (!whole_run_) full = emit_turn();
  }
  out_.load(Reg::rcx, scratch::rcx);
  out_.bytes({0x65, 0xff, 0xa0}), out_.value(static_cast<u32>(offsetof(Pair, code)));
  // jmp gs:[rax + code]
  ended_ = true;
  if (!full) return;
  out_.bind8(full);
  emit_target_saved();
  out_.store_imm(scratch::edge, scratch::no_edge);
  target_is(Recovery::Address::in_target);
  out_.load(Reg::rax, scratch::rax);
  out_.load(Reg::rdx, scratch::rdx);
  out_.jump_gs(scratch::leave);
}

// In the copy, unless it would set the trap flag: the tracer does that one.
void Translator::emit_pop_flags() {
  u64 from = at_;
  bytes_ = bytes_.subspan(1);
  at_ += 1;
  state_is(from, false);
  out_.save(Reg::rcx, scratch::rcx);
  state_is(from, true);
  out_.bytes({0x48, 0x8b, 0x0c, 0x24});  // mov rcx, [rsp]
  out_.bytes({0x0f, 0xb6, 0xcd});        // movzx ecx, ch: the trap flag is the lowest bit,
  out_.bytes({0x0f, 0xc9});              // bswap ecx: which goes to the highest one
  for (int i = 0; i < 7; ++i) out_.bytes({0x8d, 0x0c, 0x09});  // lea ecx, [rcx + rcx]
  out_.bytes({0xe3, 0x00});                                    // jrcxz: it is not set
  u32 clear = out_.offset() - 1;
  out_.load(Reg::rcx, scratch::rcx);
  leave_for(from);
  state_is(from, true);
  out_.bind8(clear);
  out_.load(Reg::rcx, scratch::rcx);
  state_is(from, false);
  out_.bytes({0x9d});  // popf
  state_is(at_, false);
}

}  // namespace pgokit::record
