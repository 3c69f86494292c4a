// The routines shared by all translated code of a process that has windows.
#include "record/x86/pair_search.h"
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

// rax = the time stamp counter.
void emit_whole_time_stamp(Assembler& out) {
  out.bytes({0x0f, 0x31});              // rdtsc
  out.bytes({0x48, 0xc1, 0xe2, 0x20});  // shl rdx, 32
  out.bytes({0x48, 0x09, 0xd0});        // or rax, rdx
}

// Of a window that counts: takes the time since it was taken last off what is left. r11 is saved.
void emit_time_taken(Assembler& out) {
  out.load32(Reg::rax, scratch::recorded);
  out.bytes({0x85, 0xc0});  // test eax, eax
  out.bytes({0x75, 0});     // jnz: it does not count any more
  u32 records = out.offset() - 1;
  emit_whole_time_stamp(out);
  out.bytes({0x49, 0x89, 0xc3});                                             // mov r11, rax
  out.bytes({0x65, 0x48, 0x2b, 0x04, 0x25}), out.value(scratch::begun);      // sub rax, gs:[begun]
  out.save(Reg::r11, scratch::begun);                                        //
  out.bytes({0x65, 0x48, 0x29, 0x04, 0x25}), out.value(scratch::time_left);  // sub gs:[left], rax
  out.bind8(records);
}

// At the end of a pass, where it was not the last: the next one, if the target is translated. That
// is one more of counting as long as there is time, then the one that records. In: as `leave`, with
// everything saved.
void emit_next_pass(Assembler& out, Routines& routines, const Recovery& state) {
  out.load32(Reg::rax, scratch::left);
  out.bytes({0x85, 0xc0});  // test eax, eax
  out.bytes({0x0f, 0x85});  // jnz: not at the end of a pass
  u32 inside = out.rel32();
  out.load32(Reg::rax, scratch::recorded);
  out.bytes({0x85, 0xc0});  // test eax, eax
  out.bytes({0x0f, 0x85});  // jnz: this was the last
  u32 last = out.rel32();
  out.load(Reg::rax, scratch::time_left);
  out.bytes({0x48, 0x85, 0xc0});  // test rax, rax
  out.bytes({0x7e, 0});           // jle: the time is over
  u32 time_over = out.offset() - 1;
  out.save(Reg::rax, scratch::time_left_before);
  out.load32(Reg::rax, scratch::turns);
  out.bytes({0x65, 0x83, 0x2c, 0x25}), out.value(scratch::passes), out.bytes({1});
  // sub dword gs:[passes], 1
  out.bytes({0x75, 0});  // jnz: one more
  u32 counts = out.offset() - 1;
  out.bind8(time_over);
  out.store_imm(scratch::recorded, 1);
  out.load32(Reg::rax, scratch::pass);
  out.bind8(counts);
  out.save32(Reg::rax, scratch::left);
  out.load(Reg::rcx, scratch::target);
  u32 missing = emit_lookup(out);
  emit_restored(out);
  out.load(Reg::r11, scratch::r11);
  out.load(Reg::rcx, scratch::rcx);
  out.jump_gs(scratch::jump);
  for (u32 fixup : {inside, last, missing}) out.bind(fixup);
  note_state(out, routines, state);
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

// A missing block, inside of a pass, or the end of the window: what the tracer answers within a
// moment makes a stop needless. In: `state`, with everything saved.
void emit_wait(Assembler& out, Routines& routines, const Recovery& state) {
  out.load32(Reg::rax, scratch::left);
  out.bytes({0x85, 0xc0});  // test eax, eax
  out.bytes({0x75, 0});     // jnz: inside of a pass
  u32 inside = out.offset() - 1;
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
  for (u32 fixup : {unseen, impatient}) out.bind(fixup);
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
              .r11 = true});
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
  Recovery state = emit_leave_begun(out, routines);
  emit_flags_saved(out);
  state.flags = true;
  note_state(out, routines, state);
  emit_time_taken(out);
  emit_next_pass(out, routines, state);
  emit_wait(out, routines, state);
  emit_restored(out);
  emit_stop(out, routines, state);
}

// Into the ring. In: `state`, with the flags saved. The jumps to be bound are taken where the
// window is full, or the target not translated.
std::vector<u32> emit_indirect_recorded(Assembler& out, Routines& routines, Recovery state) {
  out.load(Reg::rcx, scratch::target);
  out.load32(Reg::rax, scratch::left);
  out.load32(Reg::rdx, scratch::edge);
  out.bytes({0x65, 0x89, 0x90}), out.value(scratch::ring);  // mov gs:[rax + ring], edx
  out.bytes({0x65, 0x48, 0x89, 0x88}),
      out.value(scratch::ring + 8);              // mov gs:[rax + ring + 8], rcx
  out.bytes({0x83, 0xe8, scratch::entry_size});  // sub eax, 16
  out.save32(Reg::rax, scratch::left);
  state.unrecorded = Recovery::Unrecorded::none;
  note_state(out, routines, state);
  out.store_imm(scratch::edge, scratch::no_edge);
  out.bytes({0x0f, 0x84});  // jz: the window is full
  u32 full = out.rel32();
  u32 missing = emit_lookup(out);
  emit_restored(out);
  out.load(Reg::rcx, scratch::rcx);
  out.jump_gs(scratch::jump);
  return {full, missing};
}

// In: gs:target of an indirect branch, gs:edge, gs:rcx, gs:rax, gs:rdx, of a window that counts
// also gs:place; the rest is the program's.
void emit_dispatch(Assembler& out, Routines& routines) {
  Recovery state = emit_dispatch_begun(out, routines);
  out.load32(Reg::rax, scratch::recorded);
  out.bytes({0x85, 0xc0});  // test eax, eax
  out.bytes({0x0f, 0x85});  // jnz: it records
  u32 records = out.rel32();
  auto leave = emit_pair_found(out);
  emit_pair_counted(out);
  auto counted = state;
  counted.unrecorded = Recovery::Unrecorded::none;
  note_state(out, routines, counted);
  out.store_imm(scratch::edge, scratch::no_edge);
  out.bytes({0x65, 0x83, 0x2c, 0x25}), out.value(scratch::left), out.bytes({1});
  // sub dword gs:[left], 1
  out.bytes({0x0f, 0x84});  // jz: the pass is over
  leave.push_back(out.rel32());
  emit_restored(out);
  out.load(Reg::rcx, scratch::rcx);
  out.jump_gs(scratch::jump);
  out.bind(records);
  note_state(out, routines, state);
  for (u32 fixup : emit_indirect_recorded(out, routines, state)) leave.push_back(fixup);
  note_state(out, routines, state);
  for (u32 fixup : leave) out.bind(fixup);
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
