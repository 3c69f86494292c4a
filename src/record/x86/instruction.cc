#include "record/x86/instruction.h"

#include <Zydis/Zydis.h>

namespace pgokit::record {
namespace {

ZydisDecoder make_decoder() {
  ZydisDecoder decoder;
  ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
  return decoder;
}

bool decode(Bytes code, ZydisDecodedInstruction& in) {
  static const ZydisDecoder decoder = make_decoder();
  return ZYAN_SUCCESS(
      ZydisDecoderDecodeInstruction(&decoder, nullptr, code.data(), code.size(), &in));
}

// Entering the kernel, changing what the stubs rely on (gs, the trap flag), transactions.
bool must_stay(const ZydisDecodedInstruction& in) {
  if (in.attributes & (ZYDIS_ATTRIB_HAS_SEGMENT_GS | ZYDIS_ATTRIB_IS_PRIVILEGED)) return true;
  if (in.meta.branch_type == ZYDIS_BRANCH_TYPE_FAR) return true;
  switch (in.mnemonic) {
    case ZYDIS_MNEMONIC_RDTSC:
    case ZYDIS_MNEMONIC_RDTSCP:
    case ZYDIS_MNEMONIC_LSL:
      return false;
    default:
      break;
  }
  switch (in.meta.category) {
    case ZYDIS_CATEGORY_SYSCALL:
    case ZYDIS_CATEGORY_SYSRET:
    case ZYDIS_CATEGORY_INTERRUPT:
    case ZYDIS_CATEGORY_SYSTEM:
    case ZYDIS_CATEGORY_SEGOP:
    case ZYDIS_CATEGORY_RDWRFSGS:
    case ZYDIS_CATEGORY_INVALID:
    case ZYDIS_CATEGORY_SGX:
    case ZYDIS_CATEGORY_IO:
    case ZYDIS_CATEGORY_IOSTRINGOP:
      return true;
    default:
      break;
  }
  switch (in.mnemonic) {
    case ZYDIS_MNEMONIC_XBEGIN:
    case ZYDIS_MNEMONIC_XEND:
    case ZYDIS_MNEMONIC_XABORT:
    case ZYDIS_MNEMONIC_POPF:
    case ZYDIS_MNEMONIC_POPFD:
    case ZYDIS_MNEMONIC_POPFQ:
    case ZYDIS_MNEMONIC_UD0:
    case ZYDIS_MNEMONIC_UD1:
    case ZYDIS_MNEMONIC_UD2:
    case ZYDIS_MNEMONIC_HLT:
      return true;
    default:
      return false;
  }
}

// mov and pop to a segment register: gs would lose its base.
bool loads_segment(const ZydisDecodedInstruction& in) {
  if (in.opcode_map == ZYDIS_OPCODE_MAP_DEFAULT) return in.opcode == 0x8e;
  if (in.opcode_map != ZYDIS_OPCODE_MAP_0F || in.encoding != ZYDIS_INSTRUCTION_ENCODING_LEGACY)
    return false;
  return in.opcode == 0xa1 || in.opcode == 0xa9 || in.opcode == 0xb2 || in.opcode == 0xb4 ||
         in.opcode == 0xb5;
}

// Branches with an operand or address size of other than 64 bits: processors disagree on them.
bool odd_size(const ZydisDecodedInstruction& in) {
  bool operand16 = (in.attributes & ZYDIS_ATTRIB_HAS_OPERANDSIZE) && !in.raw.rex.W;
  return operand16 || in.operand_width == 16;
}

CopyKind kind_of_branch(const ZydisDecodedInstruction& in) {
  switch (in.meta.category) {
    case ZYDIS_CATEGORY_RET:
      return in.opcode == 0xc2 || in.opcode == 0xc3 ? CopyKind::ret : CopyKind::never;
    case ZYDIS_CATEGORY_CALL:
      if (in.opcode == 0xe8) return CopyKind::call;
      return in.opcode == 0xff && in.raw.modrm.reg == 2 ? CopyKind::indirect_call : CopyKind::never;
    case ZYDIS_CATEGORY_UNCOND_BR:
      if (in.opcode == 0xe9 || in.opcode == 0xeb) return CopyKind::jump;
      return in.opcode == 0xff && in.raw.modrm.reg == 4 ? CopyKind::indirect_jump : CopyKind::never;
    case ZYDIS_CATEGORY_COND_BR:
      return in.opcode_map == ZYDIS_OPCODE_MAP_DEFAULT && in.opcode >= 0xe0
                 ? CopyKind::short_conditional
                 : CopyKind::conditional;
    default:
      return CopyKind::plain;
  }
}

bool relative_to_rip(const ZydisDecodedInstruction& in) {
  return (in.attributes & ZYDIS_ATTRIB_HAS_MODRM) && in.raw.modrm.mod == 0 &&
         in.raw.modrm.rm == 5 && in.raw.disp.size == 32;
}

u8 opcode_offset(const ZydisDecodedInstruction& in) {
  return static_cast<u8>(in.raw.modrm.offset - 1);
}

}  // namespace

CopyInstruction decode_for_copy(Bytes code, u64 address) {
  ZydisDecodedInstruction in;
  if (!decode(code, in)) return {};
  if (must_stay(in) || loads_segment(in)) return {};
  CopyInstruction out{.kind = kind_of_branch(in), .length = in.length};
  if (out.kind != CopyKind::plain && odd_size(in)) return {};
  if (relative_to_rip(in)) {
    if (in.address_width != 64) return {};
    out.rip_displacement = in.raw.disp.offset;
  }
  if (in.raw.imm[0].is_relative)
    out.target = address + in.length + static_cast<u64>(in.raw.imm[0].value.s);
  if (out.kind == CopyKind::conditional) out.condition = in.opcode & 15;
  if (out.kind == CopyKind::ret && in.opcode == 0xc2)
    out.released = static_cast<u16>(in.raw.imm[0].value.u);
  if (out.kind == CopyKind::indirect_jump || out.kind == CopyKind::indirect_call)
    out.opcode_offset = opcode_offset(in);
  return out;
}

FlagUse flag_use(Bytes code, u64 address, u8& length, u64& target) {
  ZydisDecodedInstruction in;
  if (!decode(code, in)) return FlagUse::unknown;
  length = in.length;
  switch (in.mnemonic) {
    case ZYDIS_MNEMONIC_CMP:
    case ZYDIS_MNEMONIC_TEST:
    case ZYDIS_MNEMONIC_ADD:
    case ZYDIS_MNEMONIC_SUB:
    case ZYDIS_MNEMONIC_AND:
    case ZYDIS_MNEMONIC_OR:
    case ZYDIS_MNEMONIC_XOR:
    case ZYDIS_MNEMONIC_NEG:
      return FlagUse::kills;
    default:
      break;
  }
  switch (kind_of_branch(in)) {
    case CopyKind::jump:
    case CopyKind::call:
      target = address + in.length + static_cast<u64>(in.raw.imm[0].value.s);
      return FlagUse::leads;
    case CopyKind::plain:
      break;
    default:
      return FlagUse::unknown;
  }
  bool pushes_flags = in.mnemonic == ZYDIS_MNEMONIC_PUSHF || in.mnemonic == ZYDIS_MNEMONIC_PUSHFD ||
                      in.mnemonic == ZYDIS_MNEMONIC_PUSHFQ;
  bool asks = pushes_flags || must_stay(in) || (in.cpu_flags && in.cpu_flags->tested != 0);
  return asks ? FlagUse::unknown : FlagUse::none;
}

// ff /2 or /4 has the operand that 8b /1 has. Kept of the prefixes: fs and the address size.
std::vector<u8> load_of_operand(const CopyInstruction& one, Bytes raw, u32& displacement) {
  std::vector<u8> load;
  u8 rex = 0x48;
  for (u8 prefix : raw.first(one.opcode_offset)) {
    if (prefix == 0x64 || prefix == 0x67) load.push_back(prefix);
    if ((prefix & 0xf0) == 0x40) rex = static_cast<u8>(0x48 | (prefix & 3));
  }
  load.push_back(rex);
  load.push_back(0x8b);
  Bytes operand = raw.subspan(one.opcode_offset + size_t{1});
  load.push_back(static_cast<u8>((operand[0] & 0xc7) | 1 << 3));
  auto at = static_cast<u32>(load.size());
  displacement = one.rip_displacement ? at : 0;
  load.insert(load.end(), operand.begin() + 1, operand.end());
  return load;
}

}  // namespace pgokit::record
