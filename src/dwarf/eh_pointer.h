#pragma once

// Pointers in the tables of exceptions: a byte says how they are written, and what they are
// relative to.
//
//   u64 begin = read_eh_pointer(in, encoding, frames_address + offset_of_the_pointer);
//
// Source of truth: LSB Core, "DWARF Exception Header Encoding".

#include "base/cursor.h"

namespace pgokit::dwarf {

enum EhEncoding : u8 {
  eh_absolute = 0x00,
  eh_uleb128 = 0x01,
  eh_unsigned4 = 0x03,
  eh_unsigned8 = 0x04,
  eh_signed4 = 0x0b,
  eh_signed8 = 0x0c,
  eh_relative_to_pc = 0x10,
  eh_relative_to_section = 0x30,
  eh_omitted = 0xff,
};

// `address`: that of the pointer. What compilers do not write for 64-bit machines fails the cursor.
u64 read_eh_pointer(Cursor& in, u8 encoding, u64 address);

}  // namespace pgokit::dwarf
