// What copies for windows do beside counting: they count turns down, and in its last pass a window
// records its branches. Which of both it does is looked at before each direct branch; the code that
// records lies behind all that runs more often.
#include <utility>

#include "record/x86/scratch.h"
#include "record/x86/translator.h"

namespace pgokit::record {

// A jump is taken where the last turn of a pass has been made, by the byte before what follows.
// Breaks rcx.
u32 Translator::emit_turn() {
  out_.load32(Reg::rcx, scratch::left);
  out_.bytes({0x8d, 0x49, 0xff});  // lea ecx, [rcx - 1]
  out_.save32(Reg::rcx, scratch::left);
  out_.bytes({0xe3, 0x00});  // jrcxz
  return out_.offset() - 1;
}

// An indirect branch that is to be recorded: by the routine `dispatch`.
void Translator::emit_unless_counting(u32 number) {
  out_.load32(Reg::rcx, scratch::recorded);
  out_.bytes({0xe3, 0x00});  // jrcxz: it counts
  u32 counts = out_.offset() - 1;
  emit_target_saved();
  out_.store_imm(scratch::edge, number);
  out_.jump_gs(scratch::dispatch);
  out_.bind8(counts);
}

// In place of emit_counted().
void Translator::emit_windowed(const Edge& edge, u64 return_address) {
  u32 number = add_edge(edge);
  if (return_address) state_is(edge.from, false), push_constant(return_address);
  state_is_behind(edge, false);
  bool flags_die = flags_die_at(edge.to);
  auto way = flags_die ? emit_counted_by_flags(edge, number) : emit_counted_by_rcx(edge, number);
  u32 full = std::exchange(way.full, 0);
  way.recorded.exit = out_.offset();
  way.recorded.edge = edge, way.recorded.number = number, way.recorded.rcx_saved = !flags_die;
  emit_exit(edge.to);
  ways_out_.back().over = way.over, ways_out_.back().recorded = way.recorded;
  if (!full) return;
  out_.bind8(full);
  state_is(edge.to, true);
  out_.bytes({0xe9});
  ways_out_.back().full = out_.rel32();
}

Translator::WayOut Translator::emit_counted_by_flags(const Edge& edge, u32 number) {
  WayOut way;
  out_.bytes({0x65, 0x83, 0x3c, 0x25}), out_.value(scratch::recorded), out_.bytes({0});
  // cmp dword gs:[recorded], 0
  out_.bytes({0x0f, 0x85});  // jne: it records
  way.recorded.jump = out_.rel32();
  emit_counter_raised(scratch::counters + 8 * number);
  state_is(edge.to, false);
  if (!is_turn(edge)) return way;
  out_.bytes({0x65, 0x83, 0x2c, 0x25}), out_.value(scratch::left), out_.bytes({1});
  // sub dword gs:[left], 1
  out_.bytes({0x0f, 0x84});  // jz: the pass is over
  way.over = out_.rel32();
  return way;
}

Translator::WayOut Translator::emit_counted_by_rcx(const Edge& edge, u32 number) {
  WayOut way;
  u32 counter = scratch::counters + 8 * number;
  out_.save(Reg::rcx, scratch::rcx);
  state_is_behind(edge, true);
  out_.load32(Reg::rcx, scratch::recorded);
  out_.bytes({0xe3, 0x05});  // jrcxz: it counts
  out_.bytes({0xe9});        // jmp: it records
  way.recorded.jump = out_.rel32();
  out_.load(Reg::rcx, counter);
  out_.bytes({0x48, 0x8d, 0x49, 0x01});  // lea rcx, [rcx + 1]
  out_.save(Reg::rcx, counter);
  state_is(edge.to, true);
  if (is_turn(edge)) way.full = emit_turn();
  out_.load(Reg::rcx, scratch::rcx);
  state_is(edge.to, false);
  return way;
}

// Into the ring, and back to the exit of the branch; `full` is where the pass is over, with rcx
// saved.
void Translator::emit_recorded(WayOut& way, u32 full) {
  const auto& [jump, exit, number, rcx_saved, edge] = way.recorded;
  out_.bind(jump);
  if (!rcx_saved) {
    state_is_behind(edge, false);
    out_.save(Reg::rcx, scratch::rcx);
  }
  state_is_behind(edge, true);
  out_.load32(Reg::rcx, scratch::left);
  out_.bytes({0x65, 0xc7, 0x81}), out_.value(scratch::ring), out_.value(number);
  // mov dword gs:[rcx + ring], number
  out_.bytes({0x8d, 0x49, static_cast<u8>(-i32(scratch::entry_size))});  // lea ecx, [rcx - 16]
  out_.save32(Reg::rcx, scratch::left);
  state_is(edge.to, true);
  out_.bytes({0xe3, 0x00});  // jrcxz: the window is full
  u32 over = out_.offset() - 1;
  out_.load(Reg::rcx, scratch::rcx);
  state_is(edge.to, false);
  out_.bytes({0xe9}), out_.value(static_cast<i32>(exit) - static_cast<i32>(out_.offset() + 4));
  out_.bind8(over);
  state_is(edge.to, true);
  out_.bytes({0xe9}), out_.value(static_cast<i32>(full) - static_cast<i32>(out_.offset() + 4));
}

}  // namespace pgokit::record
