#pragma once

// What the translator has to know of one x86-64 instruction: may it be copied, and how.
// Uses Zydis for the fields of the encoding; src/isa gives classes for reading recordings instead.

#include <vector>

#include "base/types.h"

namespace pgokit::record {

enum class CopyKind : u8 {
  plain,              // copied; a displacement relative to rip is moved
  conditional,        // jcc
  short_conditional,  // loop, loope, loopne, jrcxz, jecxz
  jump,
  call,
  indirect_jump,
  indirect_call,
  ret,
  never,  // ends the window before it, undecodable bytes included
};

struct CopyInstruction {
  CopyKind kind = CopyKind::never;
  u8 length = 0;
  u8 condition = 0;         // of jcc: the low 4 bits of its opcode
  u8 rip_displacement = 0;  // offset of a displacement relative to rip, 0: there is none
  u8 opcode_offset = 0;     // of indirect branches
  u16 released = 0;         // ret n
  u64 target = 0;           // of direct branches
};

// The instruction at the start of `code`, which lies at `address`.
CopyInstruction decode_for_copy(Bytes code, u64 address);

// What an instruction does with the arithmetic flags that it finds.
enum class FlagUse : u8 {
  none,    // leaves them, or some of them, to the next one
  kills,   // sets them all without a look
  leads,   // to `target`, as a direct branch that does not ask for them
  unknown  // may depend on them, or goes where they may be
};
FlagUse flag_use(Bytes code, u64 address, u8& length, u64& target);

// `mov rcx, operand` for the operand of an indirect branch whose bytes are `raw`. `displacement`
// becomes the offset in the result of a displacement relative to rip, 0 where there is none.
std::vector<u8> load_of_operand(const CopyInstruction& one, Bytes raw, u32& displacement);

}  // namespace pgokit::record
