// The routines shared by all translated code of a process whose windows are counted.
#include "record/x86/routine_parts.h"

namespace pgokit::record {
namespace {

void emit_start(Assembler& out, Routines& routines) {
  routines.start = out.here();
  note_state(out, routines, {.address = Recovery::Address::in_target, .rax_and_rdx = true});
  out.time_stamp(scratch::begun);
  out.load(Reg::rax, scratch::rax);
  out.load(Reg::rdx, scratch::rdx);
  out.jump_gs(scratch::jump);
}

// Adds one to the place of an indirect branch in the table. In: its edge in eax, r11 as below.
void emit_count_target(Assembler& out) {
  constexpr u32 factor = 0x9e3779b1;
  constexpr u32 mask = (scratch::most_targets - 1) * scratch::entry_size;
  auto at_edx = [&](std::initializer_list<u8> opcode, u32 field) {
    out.bytes({0x65}), out.bytes(opcode), out.value(scratch::targets + field);
  };
  out.bytes({0x65, 0x49, 0x8b, 0x8b}),
      out.value(scratch::ring + 8);            // mov rcx, gs:[r11 + ring + 8]
  out.bytes({0x69, 0xd0}), out.value(factor);  // imul edx, eax, factor
  out.bytes({0x01, 0xca});                     // add edx, ecx
  out.bytes({0x69, 0xd2}), out.value(factor);  // imul edx, edx, factor
  out.bytes({0xc1, 0xea, 0x0e});               // shr edx, 14
  u32 probe = out.offset();
  out.bytes({0x81, 0xe2}), out.value(mask);  // and edx, mask
  at_edx({0x83, 0xba}, 12), out.bytes({0});  // cmp dword gs:[rdx + count], 0
  out.bytes({0x74}), out.bytes({0});         // je: free
  u32 free = out.offset() - 1;
  at_edx({0x48, 0x39, 0x8a}, 0);      // cmp gs:[rdx + target], rcx
  out.bytes({0x75}), out.bytes({0});  // jne: another one's
  u32 other_target = out.offset() - 1;
  at_edx({0x39, 0x82}, 8);            // cmp gs:[rdx + edge], eax
  out.bytes({0x74}), out.bytes({0});  // je: found
  u32 found = out.offset() - 1;
  out.bind8(other_target);
  out.bytes({0x83, 0xc2, scratch::entry_size});  // add edx, 16
  out.bytes({0xeb}), out.back8(probe);           // jmp: the next place
  out.bind8(free);
  at_edx({0x48, 0x89, 0x8a}, 0);  // mov gs:[rdx + target], rcx
  at_edx({0x89, 0x82}, 8);        // mov gs:[rdx + edge], eax
  out.bytes({0x65, 0x83, 0x2c, 0x25}), out.value(scratch::room), out.bytes({1});  // sub room, 1
  out.bind8(found);
  at_edx({0x83, 0x82}, 12), out.bytes({1});  // add dword gs:[rdx + count], 1
}

// rax = the time stamp counter.
void emit_whole_time_stamp(Assembler& out) {
  out.bytes({0x0f, 0x31});              // rdtsc
  out.bytes({0x48, 0xc1, 0xe2, 0x20});  // shl rdx, 32
  out.bytes({0x48, 0x09, 0xd0});        // or rax, rdx
}

// Notes when the pass was over. In: rax = the time stamp counter.
void emit_pass_end(Assembler& out) {
  static_assert(scratch::entry_size == 1 << 4);
  out.bytes({0x65, 0x48, 0x2b, 0x04, 0x25}), out.value(scratch::begun);  // sub rax, gs:[begun]
  out.load32(Reg::rdx, scratch::passes);
  out.bytes({0xc1, 0xe2, 0x04});                                // shl edx, 4
  out.bytes({0x65, 0x89, 0x82}), out.value(scratch::ring + 4);  // mov gs:[rdx + ring + 4], eax
}

// Counts all branches of the ring; the time for that is none of the window's. In: `state`, with
// everything saved.
void emit_count(Assembler& out, Routines& routines, Recovery state) {
  emit_whole_time_stamp(out);
  out.save(Reg::rax, scratch::ended);
  emit_pass_end(out);
  out.load32(Reg::r11, scratch::pass);
  u32 next = out.offset();
  state.counted = Recovery::Counted::above_r11;
  note_state(out, routines, state);
  out.bytes({0x65, 0x41, 0x8b, 0x83}), out.value(scratch::ring);  // mov eax, gs:[r11 + ring]
  out.bytes({0x85, 0xc0});                                        // test eax, eax
  out.bytes({0x78, 0});                                           // js: it is indirect
  u32 indirect = out.offset() - 1;
  out.bytes({0x65, 0x83, 0x04, 0x85}), out.value(scratch::counters), out.bytes({1});
  // add dword gs:[rax * 4 + counters], 1
  state.counted = Recovery::Counted::from_r11;
  u32 counted = out.offset();
  note_state(out, routines, state);
  out.bytes({0x41, 0x83, 0xeb, scratch::entry_size});  // sub r11d, 16
  state.counted = Recovery::Counted::above_r11;
  note_state(out, routines, state);
  out.bytes({0x75}), out.back8(next);  // jnz: the next one
  state.counted = Recovery::Counted::all;
  note_state(out, routines, state);
  out.bytes({0xe9});  // jmp: done
  u32 done = out.rel32();
  out.bind8(indirect);
  state.counted = Recovery::Counted::above_r11;
  note_state(out, routines, state);
  emit_count_target(out);
  state.counted = Recovery::Counted::from_r11;
  note_state(out, routines, state);
  out.bytes({0xe9}), out.value(static_cast<i32>(counted) - static_cast<i32>(out.offset() + 4));
  out.bind(done);
  state.counted = Recovery::Counted::all;
  note_state(out, routines, state);
  emit_whole_time_stamp(out);
  out.bytes({0x65, 0x48, 0x2b, 0x04, 0x25}), out.value(scratch::ended);  // sub rax, gs:[ended]
  out.bytes({0x65, 0x48, 0x01, 0x04, 0x25}), out.value(scratch::begun);  // add gs:[begun], rax
}

// At the end of a pass: counts its branches, and makes one more if there is to be one, the target
// is translated, and all targets of a pass will find room. In: as `leave`, with everything saved.
void emit_next_pass(Assembler& out, Routines& routines, Recovery state) {
  out.load32(Reg::rax, scratch::left);
  out.bytes({0x85, 0xc0});  // test eax, eax
  out.bytes({0x0f, 0x85});  // jnz: not at the end of a pass
  u32 inside = out.rel32();
  emit_count(out, routines, state);
  out.load32(Reg::rax, scratch::room);
  out.bytes({0x3d}), out.value(scratch::most_branches);  // cmp eax, most_branches
  out.bytes({0x0f, 0x82});                               // jb: too little room
  u32 no_room = out.rel32();
  out.load32(Reg::rax, scratch::passes);
  out.bytes({0x85, 0xc0});
  out.bytes({0x0f, 0x84});  // jz: this was the last
  u32 last = out.rel32();
  out.bytes({0x83, 0xe8, 0x01});  // sub eax, 1
  out.save32(Reg::rax, scratch::passes);
  out.load32(Reg::rax, scratch::pass);
  out.save32(Reg::rax, scratch::left);
  note_state(out, routines, state);  // the ring is empty
  out.load(Reg::rcx, scratch::target);
  u32 missing = emit_lookup(out);
  emit_restored(out);
  out.load(Reg::r11, scratch::r11);
  out.load(Reg::rcx, scratch::rcx);
  out.jump_gs(scratch::jump);
  for (u32 fixup : {no_room, last, missing}) out.bind(fixup);
  state.counted = Recovery::Counted::all;
  note_state(out, routines, state);
  out.bind(inside);
}

// Those that are not saved yet.
void emit_all_saved(Assembler& out) {
  constexpr std::pair<Reg, u32> others[] = {
      {Reg::rdi, scratch::rdi}, {Reg::rsi, scratch::rsi}, {Reg::rbx, scratch::rbx},
      {Reg::rsp, scratch::rsp}, {Reg::rbp, scratch::rbp}, {Reg::r8, scratch::r8},
      {Reg::r9, scratch::r9},   {Reg::r10, scratch::r10}, {Reg::r12, scratch::r12},
      {Reg::r13, scratch::r13}, {Reg::r14, scratch::r14}, {Reg::r15, scratch::r15}};
  for (auto [reg, slot] : others) out.save(reg, slot);
}

// A missing block, inside of a pass, or the end of the window: what the tracer answers within a moment
// makes a stop needless. In: `state`, with everything saved.
void emit_wait(Assembler& out, Routines& routines, const Recovery& state) {
  out.load32(Reg::rax, scratch::left);
  out.bytes({0x85, 0xc0});  // test eax, eax
  out.bytes({0x75, 0});     // jnz: inside of a pass
  u32 inside = out.offset() - 1;
  out.load32(Reg::rax, scratch::passes);
  out.bytes({0x85, 0xc0});
  out.bytes({0x0f, 0x85});  // jnz: there is no room
  u32 no_room = out.rel32();
  emit_all_saved(out);
  out.bind8(inside);
  out.load32(Reg::rax, scratch::patience);
  out.bytes({0x85, 0xc0});
  out.bytes({0x0f, 0x84});  // jz: nobody watches
  u32 unseen = out.rel32();
  out.store_imm(scratch::request, scratch::request_made);
  out.bytes({0x31, 0xd2});  // xor edx, edx
  u32 wait = out.offset();
  out.bytes({0xf3, 0x90});  // pause
  out.load(Reg::rcx, scratch::request);
  out.bytes({0x48, 0x83, 0xf9, scratch::request_seen});  // cmp rcx, request_seen
  out.bytes({0x77, 0});                                  // ja: answered
  u32 answered = out.offset() - 1;
  out.bytes({0x83, 0xe8, 0x01});                                     // sub eax, 1
  out.bytes({0x75}), out.back8(wait);                                // jnz: wait
  out.bytes({0xb8}), out.value(scratch::patience_when_seen);         // mov eax, patience_when_seen
  out.bytes({0x29, 0xca});                                           // sub edx, ecx
  out.bytes({0x83, 0xfa, static_cast<u8>(-scratch::request_seen)});  // cmp edx, - seen
  out.bytes({0x74}), out.back8(wait);                                // je: wait, once
  out.bytes({0xe9});                                                 // jmp: to the stop
  u32 impatient = out.rel32();
  out.bind8(answered);
  out.bytes({0xff, 0xe1});  // jmp rcx
  routines.answered = out.here();
  out.store_imm(scratch::request, 0), out.store_imm(scratch::request + 4, 0);
  emit_restored(out);
  out.load(Reg::r11, scratch::r11);
  out.load(Reg::rcx, scratch::rcx);
  out.bytes({0xe9}), out.value(static_cast<i32>(routines.start - (out.here() + 4)));  // jmp: start
  routines.refused = out.here();
  for (u32 fixup : {no_room, unseen, impatient}) out.bind(fixup);
  note_state(out, routines, state);
}

// From the end of a window, where everything is saved, to the outside.
void emit_let_go(Assembler& out, Routines& routines, u64 exits) {
  routines.let_go = out.here();
  note_state(out, routines,
             {.address = Recovery::Address::in_target,
              .rcx = true,
              .rax_and_rdx = true,
              .flags = true,
              .r11 = true,
              .counted = Recovery::Counted::all});
  emit_restored(out);
  out.load(Reg::r11, scratch::r11);
  out.jump_gs(scratch::jump);
  while (out.offset() % way_out_size) out.bytes({0xcc});
  routines.first_way_out = out.here();
  for (u32 n = 0; n < ways_out; ++n) {
    u64 words = exits + u64{n} * way_out_words * sizeof(u64);
    out.store_imm(scratch::patience, 0);
    out.bytes({0xb9}), out.value(u32{0});       // mov ecx, 0
    out.bytes({0xf3, 0x48, 0x0f, 0xae, 0xd9});  // wrgsbase rcx
    out.load_through(Reg::rcx, words + sizeof(u64));
    out.jump_through(words);
    while (out.offset() % way_out_size) out.bytes({0xcc});
  }
}

// In: gs:target, gs:rcx; rcx is free, everything else is the program's.
void emit_leave(Assembler& out, Routines& routines) {
  routines.leave = out.here();
  Recovery state{.address = Recovery::Address::in_target, .rcx = true};
  note_state(out, routines, state);
  out.save(Reg::rax, scratch::rax);
  out.save(Reg::rdx, scratch::rdx);
  out.save(Reg::r11, scratch::r11);
  state.rax_and_rdx = state.r11 = true;
  note_state(out, routines, state);
  emit_flags_saved(out);
  state.flags = true;
  note_state(out, routines, state);
  emit_next_pass(out, routines, state);
  out.time_stamp(scratch::ended);
  state.counted = Recovery::Counted::all;
  emit_wait(out, routines, state);
  emit_restored(out);
  emit_stop(out, routines, state);
}

// In: rcx = target of an indirect branch, gs:rcx, gs:edge; the rest is the program's.
void emit_dispatch(Assembler& out, Routines& routines) {
  routines.dispatch = out.here();
  Recovery state{.address = Recovery::Address::in_rcx,
                 .rcx = true,
                 .unrecorded = Recovery::Unrecorded::in_scratch};
  note_state(out, routines, state);
  out.save(Reg::rax, scratch::rax);
  out.save(Reg::rdx, scratch::rdx);
  state.rax_and_rdx = true;
  note_state(out, routines, state);
  emit_flags_saved(out);
  out.save(Reg::rcx, scratch::target);
  state.address = Recovery::Address::in_target, state.flags = true;
  note_state(out, routines, state);
  out.load32(Reg::rax, scratch::left);
  out.load32(Reg::rdx, scratch::edge);
  out.bytes({0x65, 0x89, 0x90}), out.value(scratch::ring);  // mov gs:[rax + ring], edx
  out.bytes({0x65, 0x48, 0x89, 0x88}),
      out.value(scratch::ring + 8);              // mov gs:[rax + ring + 8], rcx
  out.bytes({0x83, 0xe8, scratch::entry_size});  // sub eax, 16
  out.save32(Reg::rax, scratch::left);
  state.unrecorded = Recovery::Unrecorded::none;
  note_state(out, routines, state);
  out.bytes({0x0f, 0x84});  // jz: the window is full
  u32 full = out.rel32();
  u32 missing = emit_lookup(out);
  emit_restored(out);
  out.load(Reg::rcx, scratch::rcx);
  out.jump_gs(scratch::jump);
  out.bind(full), out.bind(missing);
  emit_restored(out);
  out.jump_gs(scratch::leave);
}

}  // namespace

Routines make_routines(u64 address, u64 exits) {
  Assembler out(address);
  Routines routines;
  emit_start(out, routines);
  emit_leave(out, routines);
  emit_dispatch(out, routines);
  emit_let_go(out, routines, exits);
  routines.code = std::move(out.code());
  return routines;
}

}  // namespace pgokit::record
