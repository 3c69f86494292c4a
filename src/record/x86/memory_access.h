#pragma once

// The operands in memory of one x86-64 instruction: what it reads and writes, and where.
//
//   for (const auto& operand : operands_in_memory(bytes, address))
//     if (operand.access.store) use(operand.base, operand.displacement);
//
// Those of the stack (push, call, ret) and of string instructions are among them. Not there: lea,
// prefetch, nop, flushes of cache lines, and gathers and scatters, which have an address in each
// element of a vector. A string instruction that repeats itself has one access, to its first
// element; bt, bts and the like with a number of the bit in a register the one to their base.

#include <vector>

#include "base/types.h"

namespace pgokit::record {

struct MemoryAccess {
  u64 from = 0;  // the instruction
  u16 size = 0;  // bytes
  bool load = false, store = false;
  bool locked = false;
};

// At base + index * 2^scale + displacement, by the registers as they are before the instruction.
struct MemoryOperand {
  static constexpr u8 none = 0xff;
  u8 base = none, index = none;  // numbers of registers
  u8 scale = 0;
  i64 displacement = 0;    // all of the address, where there is no register
  bool narrow = false;     // the address has 32 bits
  bool low_byte = false;   // the index is al, whatever `index` says
  bool of_thread = false;  // fs is added
  bool repeated = false;   // as often as rcx says, which may be 0
  MemoryAccess access;

  bool has_registers() const { return base != none || index != none || low_byte; }
};

// Of the instruction at the start of `code`, which lies at `address`.
std::vector<MemoryOperand> operands_in_memory(Bytes code, u64 address);

}  // namespace pgokit::record
