#pragma once

// The structures of Mach-O as they lie in files.
//
//   Header | load commands | contents of segments, symbols, strings
//
// Each load command begins with its type and size; a segment's is followed by its sections.

#include "base/cursor.h"
#include "base/types.h"

namespace pgokit::object::macho {

constexpr u32 magic_32 = 0xfeedface, magic_64 = 0xfeedfacf;
constexpr u32 universal = 0xbebafeca, universal_64 = 0xbfbafeca;  // big-endian, as read here

struct Header {
  Le<u32> magic, cpu, cpu_subtype, file_type, commands, commands_size, flags;
};
static_assert(sizeof(Header) == 28);

enum Cpu : u32 { i386 = 7, x86_64 = 0x01000007, arm = 12, arm64 = 0x0100000c };
enum FileType : u32 { object = 1, execute = 2, core = 4, dylib = 6, bundle = 8, debug_file = 10 };
constexpr u32 position_independent = 0x200000;

struct Command {
  Le<u32> type, size;
};
enum CommandType : u32 {
  segment_32 = 0x1,
  symbol_table = 0x2,
  segment_64 = 0x19,
  uuid = 0x1b,
  main_entry = 0x80000028,
};

// The structures of both classes have members of the same names.
struct Segment32 {
  u8 name[16];
  Le<u32> address, memory_size, offset, file_size, most_protection, protection, sections, flags;
};
static_assert(sizeof(Segment32) == 48);
struct Segment64 {
  u8 name[16];
  Le<u64> address, memory_size, offset, file_size;
  Le<u32> most_protection, protection, sections, flags;
};
static_assert(sizeof(Segment64) == 64);

struct Section32 {
  u8 name[16], segment[16];
  Le<u32> address, size, offset, align, relocations_offset, relocations, flags, reserved[2];
};
static_assert(sizeof(Section32) == 68);
struct Section64 {
  u8 name[16], segment[16];
  Le<u64> address, size;
  Le<u32> offset, align, relocations_offset, relocations, flags, reserved[3];
};
static_assert(sizeof(Section64) == 80);
constexpr u32 pure_instructions = 0x80000000, some_instructions = 0x400;
constexpr u32 type_mask = 0xff;
constexpr u32 zeros = 1, large_zeros = 12, thread_zeros = 18, thread_data = 17;

struct SymbolTable {
  Le<u32> symbols_offset, symbols, strings_offset, strings_size;
};

struct Symbol32 {
  Le<u32> name;
  u8 type, section;
  Le<u16> description;
  Le<u32> value;
};
static_assert(sizeof(Symbol32) == 12);
struct Symbol64 {
  Le<u32> name;
  u8 type, section;
  Le<u16> description;
  Le<u64> value;
};
static_assert(sizeof(Symbol64) == 16);
constexpr u8 debug_symbol = 0xe0, kind_of_symbol = 0x0e, in_section = 0x0e, external = 0x01;

}  // namespace pgokit::object::macho
