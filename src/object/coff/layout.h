#pragma once

// The structures of COFF and PE as they lie in files.
//
//   object:  Header | Section headers | contents, relocations ... | symbols | string table
//   bigobj:  BigHeader instead, symbols of 20 bytes
//   image:   "MZ" ... offset of "PE\0\0" at 0x3c; "PE\0\0" | Header | optional header | Section headers
//
// A string table begins with its own size of four bytes, and offsets count from there.

#include "base/cursor.h"
#include "base/types.h"

namespace pgokit::object::coff {

enum Machine : u16 {
  i386 = 0x14c,
  arm = 0x1c4,
  amd64 = 0x8664,
  arm64 = 0xaa64,
};

struct Header {
  Le<u16> machine, sections;
  Le<u32> timestamp, symbols_offset, symbols;
  Le<u16> optional_header_size, characteristics;
};
static_assert(sizeof(Header) == 20);

struct BigHeader {
  Le<u16> zero, ones, version, machine;
  Le<u32> timestamp;
  u8 class_id[16];
  Le<u32> unused[4];
  Le<u32> sections, symbols_offset, symbols;
};
static_assert(sizeof(BigHeader) == 56);
constexpr u8 big_class_id[16] = {0xc7, 0xa1, 0xba, 0xd1, 0xee, 0xba, 0xa9, 0x4b,
                                 0xaf, 0x20, 0xfa, 0xf6, 0x6a, 0xa4, 0xdc, 0xb8};

// The part of optional headers that both classes have.
struct OptionalHeader {
  Le<u16> magic;
  u8 versions[2];
  Le<u32> code_size, data_size, zeros_size, entry, code_base;
};
static_assert(sizeof(OptionalHeader) == 24);
constexpr u16 pe32 = 0x10b, pe32_plus = 0x20b;

struct SectionHeader {
  u8 name[8];
  Le<u32> virtual_size, virtual_address, size, offset, relocations_offset, lines_offset;
  Le<u16> relocations, lines;
  Le<u32> characteristics;
};
static_assert(sizeof(SectionHeader) == 40);

enum Characteristics : u32 {
  has_code = 0x20,
  has_zeros = 0x80,
  is_info = 0x200,
  many_relocations = 0x01000000,  // the first one has the number of all
  discardable = 0x02000000,
  is_executable = 0x20000000,
};
constexpr u16 relocs_stripped = 0x1;  // in Header: a program that cannot be moved

struct SymbolRecord {
  u8 name[8];
  Le<u32> value;
  Le<u16> section, type;
  u8 storage_class, auxiliary;
};
static_assert(sizeof(SymbolRecord) == 18);
struct BigSymbolRecord {
  u8 name[8];
  Le<u32> value, section;
  Le<u16> type;
  u8 storage_class, auxiliary;
};
static_assert(sizeof(BigSymbolRecord) == 20);

enum StorageClass : u8 { external = 2, local = 3, label = 6, source_file = 103, weak = 105 };
constexpr u16 function_type = 0x20;

// The first auxiliary record of a section's symbol.
struct SectionDefinition {
  Le<u32> size;
  Le<u16> relocations, lines;
  Le<u32> checksum;
  Le<u16> number;
  u8 selection, unused;
  Le<u16> number_high;  // of bigobj
};
static_assert(sizeof(SectionDefinition) == 18);
constexpr u8 select_associative = 5;

struct RelocationRecord {
  Le<u32> address, symbol;
  Le<u16> type;
};
static_assert(sizeof(RelocationRecord) == 10);

}  // namespace pgokit::object::coff
