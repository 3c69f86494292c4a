#include "record/x86/memory_log.h"

#include "record/x86/scratch.h"

namespace pgokit::record {
namespace {

// r11 = the address.
void emit_address(Assembler& out, const MemoryOperand& operand) {
  constexpr u8 r11 = 11;
  if (!operand.has_registers()) {
    out.bytes({0x49, 0xbb}), out.value(operand.displacement);  // movabs r11, imm64
    return;
  }
  u8 base = operand.base, index = operand.index;
  if (operand.low_byte) out.bytes({0x44, 0x0f, 0xb6, 0xd8}), index = r11;  // movzx r11d, al
  bool has_base = base != MemoryOperand::none, has_index = index != MemoryOperand::none;
  if (operand.narrow) out.bytes({0x67});
  int rex = 0x4c | (has_index && index > 7 ? 2 : 0) | (has_base && base > 7 ? 1 : 0);
  int modrm = (has_base ? 0x80 : 0) | (r11 & 7) << 3 | 4;
  int sib = operand.scale << 6 | (has_index ? index & 7 : 4) << 3 | (has_base ? base & 7 : 5);
  out.bytes({static_cast<u8>(rex), 0x8d, static_cast<u8>(modrm), static_cast<u8>(sib)});
  out.value(static_cast<i32>(operand.displacement));  // lea r11, [...]
}

}  // namespace

void log_access(Assembler& out, const MemoryOperand& operand, u32 number) {
  namespace memory = scratch::memory;
  emit_address(out, operand);
  if (operand.of_thread) {
    out.load(Reg::rcx, scratch::fs_base);
    out.bytes({0x4d, 0x8d, 0x1c, 0x0b});  // lea r11, [r11 + rcx]
  }
  out.load(Reg::rcx, scratch::logged);
  out.bytes({0x48, 0x8d, 0x89}), out.value(memory::step);  // lea rcx, [rcx + step]
  out.save(Reg::rcx, scratch::logged);
  out.bytes({0x65, 0x0f, 0xb7, 0x0c, 0x25}), out.value(scratch::logged + 4);
  // movzx ecx, word gs:[logged + 4]
  out.bytes({0x65, 0x4c, 0x89, 0x1c, 0xcd}), out.value(memory::addresses);
  // mov gs:[rcx * 8 + addresses], r11
  out.bytes({0x65, 0xc7, 0x04, 0x8d}), out.value(memory::numbers), out.value(number);
  // mov dword gs:[rcx * 4 + numbers], imm32
}

}  // namespace pgokit::record
