#pragma once

// AT&T syntax as LLVM prints it, made from what Zydis prints: Zydis leaves sizes out where a
// register tells them, and has other words for some instructions. Behind x86_printer().

#include <Zydis/Zydis.h>

#include <string>
#include <string_view>

#include "isa/formatter.h"

namespace pgokit::isa {

struct DecodedX86 {
  ZydisDecodedInstruction in;
  ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];

  bool has_prefix(u8 prefix) const {
    for (unsigned i = 0; i < in.raw.prefix_count; ++i)
      if (in.raw.prefixes[i].value == prefix) return true;
    return false;
  }
  // Without a register.
  bool has_bare_memory() const {
    for (unsigned i = 0; i < in.operand_count_visible; ++i)
      if (operands[i].type == ZYDIS_OPERAND_TYPE_MEMORY &&
          operands[i].mem.base == ZYDIS_REGISTER_NONE &&
          operands[i].mem.index == ZYDIS_REGISTER_NONE)
        return true;
    return false;
  }
  bool has_memory() const {
    for (unsigned i = 0; i < in.operand_count_visible; ++i)
      if (operands[i].type == ZYDIS_OPERAND_TYPE_MEMORY) return true;
    return false;
  }
};

// Before formatting: LLVM leaves out the register of long nops, and gives a sign only to immediates
// that are extended.
void fit_to_peer(DecodedX86& one);

std::string att_mnemonic(const DecodedX86& one, const Printed& printed);

// Adds a tab and the operands, of which Zydis printed `operands`.
void append_att_operands(const DecodedX86& one, const Printed& printed, std::string_view operands,
                         std::string& text);

}  // namespace pgokit::isa
