#pragma once

// An instruction as Zydis decodes it, and what the writers of both syntaxes ask of it.

#include <Zydis/Zydis.h>

#include <span>
#include <string>

#include "base/types.h"

namespace pgokit::isa {

struct DecodedX86 {
  ZydisDecodedInstruction in;
  ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];

  bool is_64_bit() const { return in.machine_mode == ZYDIS_MACHINE_MODE_LONG_64; }
  // Of addresses on the stack and in registers.
  unsigned native_width() const { return is_64_bit() ? 64 : 32; }

  std::span<const ZydisDecodedOperand> visible() const {
    return {operands, in.operand_count_visible};
  }
  // The memory operand that is written out; null without one.
  const ZydisDecodedOperand* memory() const {
    for (const auto& operand : visible())
      if (operand.type == ZYDIS_OPERAND_TYPE_MEMORY) return &operand;
    return nullptr;
  }
  bool has_prefix(u8 prefix) const {
    for (unsigned i = 0; i < in.raw.prefix_count; ++i)
      if (in.raw.prefixes[i].value == prefix) return true;
    return false;
  }
  bool is_string() const {
    return in.meta.category == ZYDIS_CATEGORY_STRINGOP ||
           in.meta.category == ZYDIS_CATEGORY_IOSTRINGOP;
  }
  bool is_x87() const {
    return in.meta.isa_ext == ZYDIS_ISA_EXT_X87 || in.mnemonic == ZYDIS_MNEMONIC_FISTTP;
  }
  // An immediate or an address of eight bytes.
  bool is_move_of_64_bits() const {
    return in.mnemonic == ZYDIS_MNEMONIC_MOV &&
           (in.raw.imm[0].size == 64 || in.raw.disp.size == 64);
  }
  // By its prefixes: Zydis gives stack operations and returns 64 in any case.
  bool is_of_16_bits() const { return has_prefix(0x66) && !in.raw.rex.W; }
  bool is_far() const { return in.meta.branch_type == ZYDIS_BRANCH_TYPE_FAR; }
  // An index byte without an index that need not be there, which LLVM shows as %riz.
  bool has_empty_index() const {
    const auto& sib = in.raw.sib;
    if (in.raw.modrm.rm != 4 || in.raw.modrm.mod == 3 || sib.index != 4) return false;
    const ZydisDecodedOperand* operand = memory();
    if (!operand || operand->mem.index != ZYDIS_REGISTER_NONE) return false;
    bool has_base = sib.base != 5 || in.raw.modrm.mod != 0;
    return sib.scale != 0 || (has_base ? sib.base != 4 : !is_64_bit());
  }
  // Of "movabs": an address in place of the byte that tells registers.
  bool has_plain_address() const { return !(in.attributes & ZYDIS_ATTRIB_HAS_MODRM); }
  // A shift by one that has no byte for it.
  bool is_shift_by_one() const {
    return in.raw.imm[0].size == 0 && in.operand_count_visible == 2 &&
           operands[1].type == ZYDIS_OPERAND_TYPE_IMMEDIATE;
  }
};

}  // namespace pgokit::isa
