#pragma once

// RISC-V: fields of an instruction word, and compressed instructions as words.
//
//   auto [word, length] = isa::riscv::next_word(code, isa::riscv::Width::rv64);   // 0: none
//   if (isa::riscv::opcode(word) == 0x63) use(isa::riscv::branch_offset(word));
//
// Source of truth: The RISC-V Instruction Set Manual, volume I, RV32/64G and chapter "C".

#include "base/types.h"

namespace pgokit::isa::riscv {

constexpr u32 bits(u32 word, unsigned high, unsigned low) {
  return word >> low & static_cast<u32>((u64{1} << (high - low + 1)) - 1);
}
// The lowest `count` bits, extended by their sign.
constexpr i64 with_sign(u64 value, unsigned count) {
  u64 sign = u64{1} << (count - 1);
  return static_cast<i64>(((value & (2 * sign - 1)) ^ sign) - sign);
}

constexpr u32 opcode(u32 word) { return bits(word, 6, 0); }
constexpr u32 rd(u32 word) { return bits(word, 11, 7); }
constexpr u32 funct3(u32 word) { return bits(word, 14, 12); }
constexpr u32 rs1(u32 word) { return bits(word, 19, 15); }
constexpr u32 rs2(u32 word) { return bits(word, 24, 20); }
constexpr u32 funct7(u32 word) { return bits(word, 31, 25); }

constexpr i64 immediate(u32 word) { return with_sign(bits(word, 31, 20), 12); }
constexpr i64 store_offset(u32 word) {
  return with_sign(bits(word, 31, 25) << 5 | bits(word, 11, 7), 12);
}
constexpr i64 branch_offset(u32 word) {
  return with_sign(bits(word, 31, 31) << 12 | bits(word, 7, 7) << 11 | bits(word, 30, 25) << 5 |
                       bits(word, 11, 8) << 1,
                   13);
}
constexpr i64 jump_offset(u32 word) {
  return with_sign(bits(word, 31, 31) << 20 | bits(word, 19, 12) << 12 | bits(word, 20, 20) << 11 |
                       bits(word, 30, 21) << 1,
                   21);
}

enum class Width : u8 { rv32, rv64 };  // of registers and addresses

struct Word {
  u32 word = 0;
  u8 length = 0;
};

// The word that a compressed instruction stands for; 0 where it is none.
u32 expand(u16 half, Width width);
// At the start of `code`.
Word next_word(Bytes code, Width width);

}  // namespace pgokit::isa::riscv
