#pragma once

// Translates a stretch of x86-64 code into a copy that counts, or records, its taken branches.
//
//   Translation copy = translate(0x401000, bytes, {.code = code, .slots = slots});
//   if (!copy.ok()) return fail("not translated");
//   memory.write(code, copy.code);
//   for (const Exit& exit : copy.exits) memory.write(exit.slot, bytes_of(exit.miss));
//
// The copy runs the program's own instructions, with displacements relative to rip moved. It goes
// straight on through conditional branches that are not taken; a taken branch enters a stub that
// adds one to the branch's counter in the thread's scratch area (scratch.h), and goes to the
// translated target, directly or by way of a slot. All values that the program can see are those of
// the original: return addresses on the stack, registers, flags, memory, the red zone.
//
// A window also counts turns, which are branches backwards and indirect ones: after some of them it
// looks at the time. When that is over, it records what follows, (from, to) of each branch, in a
// ring. It ends in the routine `leave`: with the original address in scratch::target it sends the
// thread a harmless signal, at which a tracer takes over; without a tracer the thread goes on in
// the original code. The copy therefore never needs its tracer. A tracer that watches the thread
// can do without the stop where a block is missing, and at the end: for a moment `leave` waits for
// what it will write into scratch::request (see Routines).
//
// A copy makes system calls itself that the scratch area permits. The other ones end a window
// before them, and so does what is not translated: interrupts, far branches, use of the gs segment,
// transactions, changes of the trap flag.
//
// A copy with a log of accesses to memory has a stub before each instruction that makes one.
//
// A copy for a whole run (CopyFor) only counts. Where contexts are wanted it writes the branch into
// a log instead (branch_log.h), and leaves when that is full.
//
// Does not touch the memory of any process and knows nothing of neighbouring blocks (code_cache.h).

#include <functional>
#include <vector>

#include "base/types.h"
#include "record/x86/memory_access.h"

namespace pgokit::record {

enum class EdgeKind : u8 { jump, call, ret };

enum class CopyFor : u8 {
  windows,
  memory,     // windows whose accesses to memory are logged as well (memory_log.h)
  whole_run,  // counted branch by branch
  contexts,   // a whole run, logged for counts by calling context (branch_log.h)
};
constexpr bool is_whole_run(CopyFor purpose) {
  return purpose == CopyFor::whole_run || purpose == CopyFor::contexts;
}

// A branch of the program; `to` is 0 for those whose target is in a register or in memory.
struct Edge {
  u64 from = 0, to = 0;
  EdgeKind kind = EdgeKind::jump;
  u8 length = 0;          // of the instruction
  bool indirect = false;  // set in what is recorded, where `to` is that of one time

  u64 return_address() const { return from + length; }
};

// Where the program's state is while a thread is in a copy or a routine: for all instructions from
// `offset` on, up to the next one's. With it a thread can leave at any moment, not only at the end
// of a window; a branch that is half made is made anew or completed. One that is completed may not
// be in the ring, or a counter, yet.
struct Recovery {
  // Of the program's next instruction; `in_rcx_less_rdx` is the difference of the two.
  enum class Address : u8 { fixed, in_rcx, in_rcx_less_rdx, in_minus_rdx, in_target };
  enum class Unrecorded : u8 { none, edge, in_scratch };
  u32 offset = 0;
  Address address = Address::fixed;
  u64 original = 0;  // if it is fixed
  // In the scratch area, not in the registers:
  bool rcx = false, rax_and_rdx = false, flags = false, r11 = false;
  bool rdi_rsi_r10 = false;  // with which system calls are made
  bool unblocked = false;    // the signal that stops the thread; scratch::blocked has what was
  // Right behind a system call that the copy has made: rcx is what the kernel puts there.
  bool behind_call = false;
  // The branch made last, where neither the ring nor a counter has it: `edge`, or the one that
  // scratch::edge numbers, if that is any.
  Unrecorded unrecorded = Unrecorded::none;
  Edge edge = {};
};

// A way out of the copy: it jumps to the address that the 8 bytes at `slot` hold. `miss` is what
// they must hold until `target` is translated. Where there is a `jump`, the 4 bytes there are the
// displacement of a jump to what is done by way of the slot; it may lead to the target's copy.
struct Exit {
  u64 target = 0;
  u64 slot = 0;
  u64 miss = 0;
  u64 jump = 0;
};

struct Block {
  u64 original = 0, end = 0;  // the program's bytes that were copied: [original, end)
  u64 code = 0, code_end = 0;
  u64 entry = 0;                     // where it begins; before it is what indirect branches need
  u64 call = 0;                      // if a system call comes first: where it is made, unasked
  std::vector<Recovery> recoveries;  // by offset from `code`
};

// Where the copy goes. The exits use consecutive slots, the branches and the accesses consecutive
// numbers.
struct Place {
  u64 code = 0;   // of the header of 8 bytes; aligned to 16 less 8
  u64 slots = 0;  // within 2 GiB of `code`
  u32 first_edge = 0;
  u32 first_access = 0;
  u32 site = 0;  // number of the indirect branch that there may be
  // What the flags are does not matter to the code at an address. The same answer each time.
  std::function<bool(u64)> flags_die_at = {};
};

struct Translation {
  std::vector<u8> code;  // the header, which holds the original address, then the copy
  Block block;
  std::vector<Exit> exits;
  std::vector<Edge> edges;
  std::vector<u64> return_sites;       // behind the block's calls
  std::vector<MemoryAccess> accesses;  // that are logged

  bool uses_site = false;  // of Place

  bool ok() const { return !code.empty(); }
};

// `bytes` are those of the program from `original` on, as far as they may be translated; a few
// hundred are enough. Not ok() where the first instruction cannot be translated.
Translation translate(u64 original, Bytes bytes, const Place& place,
                      CopyFor purpose = CopyFor::windows);

// The routines to be put at `address` once for each process. A window begins in `start`, with the
// program's rax and rdx and the address of a copy (scratch::jump) in the scratch area.
struct Routines {
  std::vector<u8> code;
  std::vector<Recovery> recoveries;  // by offset from the first byte
  u64 start = 0, leave = 0, dispatch = 0;
  // Of windows: where a thread that waits for its tracer goes on.
  u64 answered = 0;  // in the copy at scratch::jump
  u64 refused = 0;   // to the stop
  u64 let_go = 0;    // outside, by the way at scratch::jump
  u64 first_way_out = 0;
  u64 stop = 0;  // where a thread is when `leave` has stopped it
};
// A thread that goes on outside without a stop takes one of these ways, each of which has an
// address and rcx in words of its own: the scratch area may belong to another thread as soon as
// this one has said, by scratch::patience, that it is done with it. The base of gs is 0 then.
inline constexpr u32 ways_out = 128, way_out_size = 64, way_out_words = 2;
// `exits`: where these words are.
Routines make_routines(u64 address, u64 exits);
// `logs`: of copies that log their branches.
Routines make_whole_run_routines(u64 address, bool logs = false);

}  // namespace pgokit::record
