#pragma once

// The relocations of COFF whose values are known. Source of truth: Microsoft's "PE Format".

#include "base/types.h"
#include "object/coff/layout.h"

namespace pgokit::object::coff {

// Bytes of an absolute relocation; 0 for every other one.
constexpr u8 absolute_size(u16 machine, u32 type) {
  switch (machine) {
    case amd64:
      return type == 1 ? 8 : type == 2 ? 4 : 0;  // ADDR64, ADDR32
    case i386:
      return type == 6 ? 4 : 0;  // DIR32
    case arm64:
      return type == 14 ? 8 : type == 1 ? 4 : 0;  // ADDR64, ADDR32
    case arm:
      return type == 1 ? 4 : 0;  // ADDR32
    default:
      return 0;
  }
}

constexpr bool is_relative(u16 machine, u32 type) {
  return (machine == amd64 && type == 4) || (machine == i386 && type == 0x14);  // REL32
}

}  // namespace pgokit::object::coff
