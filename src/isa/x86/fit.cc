#include "isa/x86/fit.h"

#include <algorithm>
#include <utility>

#include "isa/x86/names.h"

namespace pgokit::isa {
namespace {

// Zydis takes the operands of string instructions for implied; the written ones come first.
unsigned count_string_operands(const DecodedX86& one) {
  unsigned count = 0;
  for (unsigned i = 0; i < 2 && i < one.in.operand_count; ++i) {
    const auto& operand = one.operands[i];
    count +=
        operand.type == ZYDIS_OPERAND_TYPE_MEMORY || operand.type == ZYDIS_OPERAND_TYPE_REGISTER;
  }
  return count;
}

unsigned count_operands(const DecodedX86& one) {
  unsigned visible = one.in.operand_count_visible;
  switch (one.in.mnemonic) {
    case ZYDIS_MNEMONIC_NOP:
    case ZYDIS_MNEMONIC_FUCOMP:
      return std::min(visible, 1u);
    case ZYDIS_MNEMONIC_PBLENDVB:
    case ZYDIS_MNEMONIC_BLENDVPS:
    case ZYDIS_MNEMONIC_BLENDVPD:
    case ZYDIS_MNEMONIC_SHA256RNDS2:
      return 3;  // with the implied %xmm0
    case ZYDIS_MNEMONIC_CLZERO:
    case ZYDIS_MNEMONIC_INVLPGA:
    case ZYDIS_MNEMONIC_INVLPGB:
    case ZYDIS_MNEMONIC_PVALIDATE:
    case ZYDIS_MNEMONIC_SKINIT:
    case ZYDIS_MNEMONIC_VMLOAD:
    case ZYDIS_MNEMONIC_VMRUN:
    case ZYDIS_MNEMONIC_VMSAVE:
      return 0;
    default:
      break;
  }
  if (one.is_string()) return count_string_operands(one);
  if (one.is_shift_by_one() || !comparison_of(one).empty()) return visible - 1;
  return visible;
}

void set_width(ZydisDecodedOperand& operand, unsigned bits) {
  if (operand.type != ZYDIS_OPERAND_TYPE_REGISTER) return;
  auto class_of_width = bits == 16   ? ZYDIS_REGCLASS_GPR16
                        : bits == 32 ? ZYDIS_REGCLASS_GPR32
                                     : ZYDIS_REGCLASS_GPR64;
  operand.size = static_cast<ZyanU16>(bits);
  operand.reg.value = ZydisRegisterEncode(
      class_of_width, static_cast<ZyanU8>(ZydisRegisterGetId(operand.reg.value)));
}

bool is_segment(const ZydisDecodedOperand& operand) {
  return operand.type == ZYDIS_OPERAND_TYPE_REGISTER &&
         ZydisRegisterGetClass(operand.reg.value) == ZYDIS_REGCLASS_SEGMENT;
}

// A plain address of 16 or 32 bits has no sign.
void fit_offset(DecodedX86& one) {
  if (one.in.address_width == 64 || !one.has_plain_address()) return;
  i64 mask = one.in.address_width == 16 ? 0xffff : 0xffffffff;
  for (auto& operand : one.operands)
    if (operand.type == ZYDIS_OPERAND_TYPE_MEMORY) operand.mem.disp.value &= mask;
}

void fit_registers(DecodedX86& one) {
  auto& first = one.operands[0];
  auto& second = one.operands[1];
  switch (one.in.mnemonic) {
    case ZYDIS_MNEMONIC_XCHG:
      if (!one.memory()) std::swap(first, second);
      break;
    case ZYDIS_MNEMONIC_LAR:
    case ZYDIS_MNEMONIC_LSL:
      set_width(second, 16);
      break;
    case ZYDIS_MNEMONIC_MOV:
      if (is_segment(first)) set_width(second, one.in.operand_width);
      break;
    case ZYDIS_MNEMONIC_MOVMSKPS:
    case ZYDIS_MNEMONIC_MOVMSKPD:
      set_width(first, 32);
      break;
    case ZYDIS_MNEMONIC_MOVSXD:
      set_width(second, 32);
      break;
    case ZYDIS_MNEMONIC_UD1:
      set_width(first, one.in.operand_width);
      set_width(second, one.in.operand_width);
      second.size = one.in.operand_width;
      break;
    case ZYDIS_MNEMONIC_FUCOMP:
      std::swap(first, second);
      break;
    case ZYDIS_MNEMONIC_VP2INTERSECTD:
    case ZYDIS_MNEMONIC_VP2INTERSECTQ:  // the even one of two
      if (ZydisRegisterGetId(first.reg.value) & 1)
        first.reg.value = static_cast<ZydisRegister>(first.reg.value - 1);
      break;
    default:
      break;
  }
}

// LLVM prints every override, also those without effect in 64-bit mode.
void override_segments(DecodedX86& one) {
  constexpr struct {
    u8 prefix;
    ZydisRegister segment;
    ZydisInstructionAttributes attribute;
  } overrides[] = {
      {0x26, ZYDIS_REGISTER_ES, ZYDIS_ATTRIB_HAS_SEGMENT_ES},
      {0x2e, ZYDIS_REGISTER_CS, ZYDIS_ATTRIB_HAS_SEGMENT_CS},
      {0x36, ZYDIS_REGISTER_SS, ZYDIS_ATTRIB_HAS_SEGMENT_SS},
      {0x3e, ZYDIS_REGISTER_DS, ZYDIS_ATTRIB_HAS_SEGMENT_DS},
      {0x64, ZYDIS_REGISTER_FS, ZYDIS_ATTRIB_HAS_SEGMENT_FS},
      {0x65, ZYDIS_REGISTER_GS, ZYDIS_ATTRIB_HAS_SEGMENT_GS},
  };
  for (unsigned i = 0; i < one.in.raw.prefix_count; ++i)
    for (const auto& known : overrides) {
      if (one.in.raw.prefixes[i].value != known.prefix) continue;
      one.in.attributes = (one.in.attributes & ~ZYDIS_ATTRIB_HAS_SEGMENT) | known.attribute;
      for (auto& operand : one.operands)
        if (operand.type == ZYDIS_OPERAND_TYPE_MEMORY && operand.mem.segment != ZYDIS_REGISTER_ES)
          operand.mem.segment = known.segment;
    }
}

void extend(ZydisDecodedOperand& operand, unsigned bits) {
  auto& imm = operand.imm;
  imm.is_signed = ZYAN_TRUE;
  imm.value.s = static_cast<ZyanI64>(imm.value.u << (64 - bits)) >> (64 - bits);
}

// Immediates have a sign where they are extended to the width of the operation, and some that are
// not.
void fit_immediates(DecodedX86& one) {
  auto& operands = one.operands;
  unsigned width = one.in.operand_width, encoded = one.in.raw.imm[0].size;
  switch (one.in.mnemonic) {
    case ZYDIS_MNEMONIC_ENTER:
      extend(operands[0], 16);
      return extend(operands[1], 8);
    case ZYDIS_MNEMONIC_AAD:
    case ZYDIS_MNEMONIC_AAM:
    case ZYDIS_MNEMONIC_XABORT:
      return extend(operands[0], 8);
    case ZYDIS_MNEMONIC_BEXTR:
      if (encoded == 32 && one.is_64_bit()) extend(operands[2], 32);
      return;
    case ZYDIS_MNEMONIC_RET:
      if (encoded == 16 && !one.is_of_16_bits()) extend(operands[0], 16);
      return;
    default:
      break;
  }
  if ((width != 16 && width != 32) || encoded != width) return;
  for (auto& operand : operands)
    if (operand.type == ZYDIS_OPERAND_TYPE_IMMEDIATE && !operand.imm.is_relative)
      operand.imm.is_signed = ZYAN_FALSE;
}

}  // namespace

void fit_operands(DecodedX86& one) {
  one.in.operand_count_visible = static_cast<ZyanU8>(count_operands(one));
  fit_registers(one);
  override_segments(one);
  fit_offset(one);
  fit_immediates(one);
}

}  // namespace pgokit::isa
