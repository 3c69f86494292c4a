#include "record/x86/memory_access.h"

#include <Zydis/Zydis.h>

namespace pgokit::record {
namespace {

ZydisDecoder make_decoder() {
  ZydisDecoder decoder;
  ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
  return decoder;
}

// It has an operand in memory, and neither reads nor writes it.
bool only_names_memory(const ZydisDecodedInstruction& in) {
  switch (in.mnemonic) {
    case ZYDIS_MNEMONIC_NOP:
    case ZYDIS_MNEMONIC_CLFLUSH:
    case ZYDIS_MNEMONIC_CLFLUSHOPT:
    case ZYDIS_MNEMONIC_CLWB:
    case ZYDIS_MNEMONIC_CLDEMOTE:
      return true;
    default:
      return in.meta.category == ZYDIS_CATEGORY_PREFETCH ||
             in.meta.category == ZYDIS_CATEGORY_WIDENOP || in.meta.category == ZYDIS_CATEGORY_NOP;
  }
}

u8 number_of(ZydisRegister reg) {
  return reg == ZYDIS_REGISTER_NONE ? MemoryOperand::none
                                    : static_cast<u8>(ZydisRegisterGetId(reg));
}

// push and what does the same write below rsp; pop finds its operand with rsp as it is then.
i64 moved_by_stack(const ZydisDecodedInstruction& in, const ZydisDecodedOperand& operand) {
  if (operand.mem.base != ZYDIS_REGISTER_RSP ||
      !(operand.actions & ZYDIS_OPERAND_ACTION_MASK_WRITE))
    return 0;
  bool hidden = operand.visibility == ZYDIS_OPERAND_VISIBILITY_HIDDEN;
  i64 size = operand.size / 8;
  if (hidden) return -size;
  return in.mnemonic == ZYDIS_MNEMONIC_POP ? size : 0;
}

MemoryOperand describe(const ZydisDecodedInstruction& in, const ZydisDecodedOperand& operand,
                       u64 address) {
  const auto& mem = operand.mem;
  constexpr auto repeats = ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE | ZYDIS_ATTRIB_HAS_REPNE;
  MemoryOperand out{.base = number_of(mem.base),
                    .index = number_of(mem.index),
                    .scale = static_cast<u8>(mem.scale == 8 ? 3 : mem.scale / 2),
                    .displacement = mem.disp.value + moved_by_stack(in, operand),
                    .narrow = in.address_width == 32,
                    .low_byte = in.mnemonic == ZYDIS_MNEMONIC_XLAT,
                    .of_thread = mem.segment == ZYDIS_REGISTER_FS,
                    .repeated = (in.attributes & repeats) != 0,
                    .access = {.from = address,
                               .size = static_cast<u16>(operand.size / 8),
                               .load = (operand.actions & ZYDIS_OPERAND_ACTION_MASK_READ) != 0,
                               .store = (operand.actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) != 0}};
  bool swaps = in.mnemonic == ZYDIS_MNEMONIC_XCHG;
  out.access.locked = swaps || (in.attributes & ZYDIS_ATTRIB_HAS_LOCK) != 0;
  if (mem.base == ZYDIS_REGISTER_RIP) {
    out.base = MemoryOperand::none;
    out.displacement += static_cast<i64>(address + in.length);
  }
  if (!out.has_registers() && out.narrow) out.displacement = static_cast<u32>(out.displacement);
  return out;
}

}  // namespace

std::vector<MemoryOperand> operands_in_memory(Bytes code, u64 address) {
  static const ZydisDecoder decoder = make_decoder();
  ZydisDecodedInstruction in;
  ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
  std::vector<MemoryOperand> found;
  if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, code.data(), code.size(), &in, operands)) ||
      only_names_memory(in))
    return found;
  for (size_t i = 0; i < in.operand_count; ++i) {
    const auto& one = operands[i];
    bool plain = one.type == ZYDIS_OPERAND_TYPE_MEMORY && one.mem.type == ZYDIS_MEMOP_TYPE_MEM;
    if (plain && one.actions != 0 && one.mem.base != ZYDIS_REGISTER_EIP)
      found.push_back(describe(in, one, address));
  }
  return found;
}

}  // namespace pgokit::record
