#pragma once

// The memory that a thread's translated code works in, reached through gs: while a window runs.
//
//   0x00  a number that is no target, negated: a place of the index that is still empty leads here
//   0x08  registers of the program that a stub has borrowed
//   0x28  target: where the program goes on when the window ends
//   0x38  left: of a window that counts, turns until it looks at the time; of one that records,
//         16 x the number of branches that are still to be recorded
//   0x48  addresses: table of indirect targets, the routines `leave` and `dispatch`
//   0x60  time stamps: since when the window's time has not been taken, and the beginning of a
//         system call
//   0x70  passes of counting that are still to be made, what `left` is where one that records
//         begins, and where one that counts does
//   0x88  the address of all this, and what `leave` and indirect branches need
//   0xc0  how many accesses to memory were logged, and where thread-local memory begins
//   0xd0  patience: how many turns the thread waits for a block that is missing, or for its tracer's
//         look at the end of the window, before it stops; 0 when it has gone on outside without a
//         stop. Its request for that (request_made), which its tracer answers by the routine to go
//         on in
//   0xe0  the other registers, at the end of the window
//   0x130 recorded: 1 in the last pass of a window, which fills the ring
//   0x138 time left until that begins, in cycles, and when the last pass before it began
//   0x150 the signal by which a copy stops its thread, a siginfo_t, and the set of just that signal
//   0x1e0 ring: 16 bytes per branch {u32 edge, u32 -, u64 target of an indirect branch}, filled
//         from the end downwards, at ring + left
//   8 K   which system calls the copy makes itself: a byte by the lower 16 bits of the number, 0
//         for those that the tracer is asked about
//   72 K  index of pairs: a u32 for each place. An indirect branch has a place of its own, from
//         which the lower half of the target's lower 32 bits leads to the one where the pair of
//         the two is looked for: it has the offset of the pair that was met there last, 0: none
//   584 K pairs of an indirect branch and a target, 32 bytes {i64 key, u64 count, u64 code, u32
//         edge, u32 next}, in the order in which they were met first. The key is the negated
//         target. Those of one place are linked to a ring by `next`. No branch has the first one
//   2.1 M counters: a u64 by number of the edge; those of indirect branches are in the pairs instead
//   4.1 M log of accesses to memory, of windows that have one (memory_log.h): a u64 address for each
//         slot, then a u32 number of the access for each
//
// A window counts its branches as they are made, and at last records some: those are not counted. A
// turn is a branch backwards, or an indirect one. Nothing is counted before a window begins; pairs
// stay, without their counts. The edges of indirect branches have their uppermost bit set wherever
// they are numbers.
//
// Where a whole run is counted there is no ring. Where contexts are wanted, branches are logged
// (branch_log.h). Pairs have no count; in place of the counters:
//
//   2.1 M log: filled from its end downwards, at log + left; full when `left` is below the reserve,
//         which has room for the branch that finds it so
//
// The addresses behind gs: are absolute 32-bit displacements, so no register is needed.

#include "base/types.h"

namespace pgokit::record::scratch {

inline constexpr u32 none = 0x00;
inline constexpr u32 rax = 0x08;
inline constexpr u32 rdx = 0x10;
inline constexpr u32 r11 = 0x18;
inline constexpr u32 flags = 0x20;
inline constexpr u32 target = 0x28;
inline constexpr u32 jump = 0x30;
inline constexpr u32 left = 0x38;
inline constexpr u32 edge = 0x40;
inline constexpr u32 table = 0x48;
inline constexpr u32 leave = 0x50;
inline constexpr u32 dispatch = 0x58;
inline constexpr u32 begun = 0x60;
inline constexpr u32 ended = 0x68;
inline constexpr u32 passes = 0x70;
inline constexpr u32 pass = 0x78;
inline constexpr u32 turns = 0x80;
inline constexpr u32 self = 0x88;
inline constexpr u32 rdi = 0x90;
inline constexpr u32 rsi = 0x98;
inline constexpr u32 place = 0xa0;      // of an indirect branch in the index
inline constexpr u32 blocked = 0xa8;    // signals, while `leave` has unblocked its own
inline constexpr u32 next_pair = 0xb0;  // where the next one that is met will stand
inline constexpr u32 r10 = 0xb8;
inline constexpr u32 logged = 0xc0;   // see memory_log.h
inline constexpr u32 fs_base = 0xc8;  // of the thread, where accesses are logged
inline constexpr u32 patience = 0xd0;
inline constexpr u32 request = 0xd8;
inline constexpr u32 rbx = 0xe0;
inline constexpr u32 rsp = 0xe8;
inline constexpr u32 rbp = 0xf0;
inline constexpr u32 r8 = 0xf8;
inline constexpr u32 r9 = 0x100;
inline constexpr u32 r12 = 0x108;
inline constexpr u32 r13 = 0x110;
inline constexpr u32 r14 = 0x118;
inline constexpr u32 r15 = 0x120;
inline constexpr u32 rcx = 0x128;
inline constexpr u32 recorded = 0x130;
inline constexpr u32 time_left = 0x138;
inline constexpr u32 time_left_before = 0x140;
inline constexpr u32 mark = 0x150;
inline constexpr u32 mark_set = 0x1d0;
inline constexpr u32 ring = 0x1e0;

// In scratch::none: an empty place is that of no target.
inline constexpr u64 no_target = u64{1} << 62;

// States of a request, other than 0 and the address that is the answer. One that has been seen is
// worth more patience.
inline constexpr u8 request_made = 1, request_seen = 2;
inline constexpr u32 patience_when_seen = 1 << 18;

inline constexpr u32 entry_size = 16;
inline constexpr u32 most_branches = (8192 - ring) / entry_size - 1;
inline constexpr u32 indirect = 1U << 31;

// What follows has whole pages.
inline constexpr u32 calls = 8192;
inline constexpr u32 index = calls + 65536;
inline constexpr u32 most_sites = 1 << 16;  // of indirect branches
inline constexpr u32 index_size = (most_sites + (1 << 16)) * 4;
inline constexpr u32 pairs = index + index_size;
inline constexpr u32 pair_size = 32;
inline constexpr u32 first_pair = pairs + pair_size;
inline constexpr u32 pairs_end = pairs + 3 * (1 << 14) * pair_size;
inline constexpr u32 counters = pairs_end;
inline constexpr u32 most_edges = 1 << 18;
inline constexpr u32 size = counters + most_edges * 8;

// Different for all sites, so that a place and a target belong to one of them. The step is odd, as
// targets of neighbours often are a few times 8 bytes from each other.
constexpr u32 place_of(u32 site) {
  constexpr u32 step = 37;
  return index + site * step % most_sites * 4;
}

// In scratch::edge: the branch made last is counted, or recorded.
inline constexpr u32 no_edge = u32(-1);

struct Pair {
  u64 key, count, code;
  u32 edge, next;
};
static_assert(sizeof(Pair) == pair_size);

namespace memory {
inline constexpr u32 slots = 1 << 16;
// 2^32 / 51.78: of the golden ratio.
inline constexpr u32 step = 0x9e3779b9 >> 5;
inline constexpr u32 addresses = scratch::size;
inline constexpr u32 numbers = addresses + slots * 8;
inline constexpr u32 size = numbers + slots * 4;
}  // namespace memory

namespace contexts {
inline constexpr u32 log = counters;
// So that the upper half of `left` is 0 when the log is full: copies test that without the flags.
inline constexpr u32 reserve = 1 << 16;
inline constexpr u32 log_size = reserve + (1 << 20);
inline constexpr u32 size = log + log_size;
inline constexpr u32 empty_log = log_size - 4;  // what `left` is then
}  // namespace contexts

// What the tracer writes before a window and reads after it.
struct Header {
  u64 none, rax, rdx, r11, flags, target, jump, left, edge, table, leave, dispatch;
  u64 begun, ended, passes, pass, turns, self;
  u64 rdi, rsi, place, blocked, next_pair, r10;
  u64 logged, fs_base;
  u64 patience, request;
  u64 rbx, rsp, rbp, r8, r9, r12, r13, r14, r15, rcx;
  u64 recorded, time_left, time_left_before, unused;
};
static_assert(sizeof(Header) == mark);

struct Entry {
  u32 edge, unused;
  u64 target;
};
static_assert(sizeof(Entry) == entry_size);

// The table of indirect targets: 65,536 addresses of translated blocks, 0 where there is none. A
// block stands at the index of its original address or at the next place that was free. That
// address lies in the 8 bytes before its code.
inline constexpr u64 table_entries = 65536;
constexpr u64 table_index(u64 address) { return (address ^ (address >> 15)) & 0xffff; }

}  // namespace pgokit::record::scratch
