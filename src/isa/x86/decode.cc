// x86-64 and i386: lengths from Zydis without operands, class from opcode map, opcode and modrm.reg.

#include <Zydis/Zydis.h>

#include "isa/machines.h"
#include "isa/x86/quick.h"

namespace pgokit::isa {
namespace {

ZydisDecoder make_decoder(bool is_64_bit) {
  ZydisDecoder decoder;
  if (is_64_bit)
    ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
  else
    ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LEGACY_32, ZYDIS_STACK_WIDTH_32);
  ZydisDecoderEnableMode(&decoder, ZYDIS_DECODER_MODE_MINIMAL, ZYAN_TRUE);
  return decoder;
}

Flow flow_of_group_ff(u8 reg) {
  switch (reg) {
    case 2:
    case 3:
      return Flow::indirect_call;  // near, far
    case 4:
    case 5:
      return Flow::indirect_jump;  // near, far
    default:
      return Flow::none;
  }
}

Flow flow_of_one_byte(u8 opcode, const ZydisDecodedInstruction& in) {
  if (opcode >= 0x70 && opcode <= 0x7f) return Flow::conditional;
  switch (opcode) {
    case 0xe0:  // loopne
    case 0xe1:  // loope
    case 0xe2:  // loop
    case 0xe3:  // jrcxz
      return Flow::conditional;
    case 0xe8:
      return Flow::call;
    case 0xe9:
    case 0xeb:
      return Flow::jump;
    case 0xc2:
    case 0xc3:  // ret
    case 0xca:
    case 0xcb:  // far ret
    case 0xcf:  // iret
      return Flow::ret;
    case 0xc7:
      // With this modrm byte it is xbegin, a branch to the handler when the transaction fails.
      if (in.raw.modrm.mod == 3 && in.raw.modrm.reg == 7) return Flow::conditional;
      return Flow::none;
    case 0x9a:  // i386: far call
      return Flow::indirect_call;
    case 0xea:  // i386: far jump
      return Flow::indirect_jump;
    case 0xff:
      return flow_of_group_ff(in.raw.modrm.reg);
    case 0xcc:  // int3
    case 0xcd:  // int
    case 0xf1:  // int1
    case 0xf4:  // hlt
      return Flow::other;
    default:
      return Flow::none;
  }
}

Flow flow_of_0f(u8 opcode, const ZydisDecodedInstruction& in) {
  if (in.encoding != ZYDIS_INSTRUCTION_ENCODING_LEGACY) return Flow::none;
  if (opcode >= 0x80 && opcode <= 0x8f) return Flow::conditional;
  switch (opcode) {
    case 0x05:  // syscall
    case 0x07:  // sysret
    case 0x0b:  // ud2
    case 0x34:  // sysenter
    case 0x35:  // sysexit
    case 0xb9:  // ud1
    case 0xff:  // ud0
      return Flow::other;
    default:
      return Flow::none;
  }
}

Flow flow_of(const ZydisDecodedInstruction& in) {
  if (in.opcode_map == ZYDIS_OPCODE_MAP_DEFAULT && in.encoding == ZYDIS_INSTRUCTION_ENCODING_LEGACY)
    return flow_of_one_byte(in.opcode, in);
  if (in.opcode_map == ZYDIS_OPCODE_MAP_0F) return flow_of_0f(in.opcode, in);
  return Flow::none;
}

// LLVM takes lock, and f2 or f3 where they mean xacquire or xrelease, for instructions.
bool is_prefix_alone(Bytes code) {
  if (code[0] == 0xf0) return true;
  if ((code[0] != 0xf2 && code[0] != 0xf3) || code.size() < 2) return false;
  u8 next = code[1];
  bool exchange = (next & 0xfe) == 0x86 || (next & 0xf8) == 0x90;
  bool pause = code[0] == 0xf3 && next == 0x90;
  bool store = next == 0x88 || next == 0x89 || next == 0xc6 || next == 0xc7;
  return next == 0xf0 || (exchange && !pause) || (store && code[0] == 0xf3);
}

// The address space has 32 bits on i386, where targets wrap around.
template <bool is_64_bit>
Instruction decode_by_zydis(Bytes code, u64 address) {
  static const ZydisDecoder decoder = make_decoder(is_64_bit);
  ZydisDecodedInstruction in;
  if (!ZYAN_SUCCESS(
          ZydisDecoderDecodeInstruction(&decoder, nullptr, code.data(), code.size(), &in)))
    return {};
  Instruction out{.length = in.length, .flow = flow_of(in)};
  if (in.raw.imm[0].is_relative) {
    out.has_target = true;
    out.target = address + in.length + in.raw.imm[0].value.u;
    if (!is_64_bit) out.target &= 0xffffffff;
  }
  return out;
}

}  // namespace

Instruction decode_x86(Bytes code, u64 address, LockPrefix lock) {
  if (lock == LockPrefix::alone && !code.empty() && is_prefix_alone(code)) return {.length = 1};
  if (auto one = decode_common_x86(code, address); one.ok()) return one;
  return decode_any_x86(code, address);
}

Instruction decode_any_x86(Bytes code, u64 address) { return decode_by_zydis<true>(code, address); }

Instruction decode_i386(Bytes code, u64 address, LockPrefix lock) {
  if (lock == LockPrefix::alone && !code.empty() && is_prefix_alone(code)) return {.length = 1};
  return decode_by_zydis<false>(code, address);
}

}  // namespace pgokit::isa
