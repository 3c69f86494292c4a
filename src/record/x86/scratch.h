#pragma once

// The memory that a thread's translated code works in, reached through gs: while a window runs.
//
//   0x00  registers of the program that a stub has borrowed
//   0x28  target: where the program goes on when the window ends
//   0x38  left: 16 x the number of branches that are still to be recorded
//   0x48  addresses: table of indirect targets, the routines `leave` and `dispatch`
//   0x60  time stamps of the beginning and the end of what ran without a stop
//   0x70  passes that are still to be made before the last one, and what `left` is at their start
//   0x80  ring: 16 bytes per branch {u32 edge, u32 -, u64 target of an indirect branch}, filled
//         from the end downwards, at ring + left; a further pass overwrites it
//
// The addresses behind gs: are absolute 32-bit displacements, so no register is needed.

#include "base/types.h"

namespace pgokit::record::scratch {

inline constexpr u32 rcx = 0x00;
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
inline constexpr u32 ring = 0x80;

inline constexpr u32 entry_size = 16;
inline constexpr u32 size = 8192;
inline constexpr u32 most_branches = (size - ring) / entry_size - 1;

// What the tracer writes before a window and reads after it.
struct Header {
  u64 rcx, rax, rdx, r11, flags, target, jump, left, edge, table, leave, dispatch;
  u64 begun, ended, passes, pass;

  u64 cycles() const { return ended - begun; }
};
static_assert(sizeof(Header) == ring);

struct Entry {
  u32 edge, unused;
  u64 target;
};
static_assert(sizeof(Entry) == entry_size);

// The table of indirect targets: 65,536 addresses of translated blocks, 0 where there is none. The
// original address of a block lies in the 8 bytes before its code.
inline constexpr u64 table_entries = 65536;
constexpr u64 table_index(u64 address) { return (address ^ (address >> 15)) & 0xffff; }

}  // namespace pgokit::record::scratch
