#pragma once

// The relocations of ELF whose values are known: absolute ones, and those that count from their own
// place. Source of truth: the processor supplements of the System V ABI.

#include <elf.h>

#include "base/types.h"

namespace pgokit::object::elf {

// Bytes of an absolute relocation; 0 for every other one.
constexpr u8 absolute_size(u16 machine, u32 type) {
  switch (machine) {
    case EM_X86_64:
      return type == R_X86_64_64 ? 8 : type == R_X86_64_32 ? 4 : 0;
    case EM_386:
      return type == R_386_32 ? 4 : 0;
    case EM_AARCH64:
      return type == R_AARCH64_ABS64 ? 8 : type == R_AARCH64_ABS32 ? 4 : 0;
    case EM_ARM:
      return type == R_ARM_ABS32 ? 4 : 0;
    case EM_RISCV:
      return type == R_RISCV_64 ? 8 : type == R_RISCV_32 ? 4 : 0;
    default:
      return 0;
  }
}

constexpr bool is_relative(u16 machine, u32 type) {
  if (machine == EM_386) return type == R_386_PC32 || type == R_386_PLT32 || type == R_386_GOTPC;
  if (machine != EM_X86_64) return false;
  switch (type) {
    case R_X86_64_PC8:
    case R_X86_64_PC16:
    case R_X86_64_PC32:
    case R_X86_64_PLT32:
    case R_X86_64_GOTPCREL:
    case R_X86_64_GOTTPOFF:
    case R_X86_64_GOTPCRELX:
    case R_X86_64_REX_GOTPCRELX:
      return true;
    default:
      return false;
  }
}

}  // namespace pgokit::object::elf
