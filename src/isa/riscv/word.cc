#include "isa/riscv/word.h"

#include "base/cursor.h"

namespace pgokit::isa::riscv {
namespace {

constexpr u32 ra = 1, sp = 2;

u32 i_type(i64 value, u32 source, u32 function, u32 target, u32 code) {
  return static_cast<u32>(value) << 20 | source << 15 | function << 12 | target << 7 | code;
}
u32 s_type(u32 value, u32 source, u32 base, u32 function, u32 code) {
  return (value >> 5) << 25 | source << 20 | base << 15 | function << 12 | (value & 31) << 7 | code;
}
u32 r_type(u32 function7, u32 second, u32 first, u32 function3, u32 target, u32 code) {
  return function7 << 25 | second << 20 | first << 15 | function3 << 12 | target << 7 | code;
}
u32 j_type(i64 offset, u32 target) {
  auto v = static_cast<u32>(offset);
  return bits(v, 20, 20) << 31 | bits(v, 10, 1) << 21 | bits(v, 11, 11) << 20 |
         bits(v, 19, 12) << 12 | target << 7 | 0x6f;
}
u32 b_type(i64 offset, u32 source, u32 function) {
  auto v = static_cast<u32>(offset);
  return bits(v, 12, 12) << 31 | bits(v, 10, 5) << 25 | source << 15 | function << 12 |
         bits(v, 4, 1) << 8 | bits(v, 11, 11) << 7 | 0x63;
}

// Registers 8 to 15, which fields of three bits name.
u32 low(u32 half) { return 8 + bits(half, 4, 2); }
u32 high(u32 half) { return 8 + bits(half, 9, 7); }

u32 word_offset(u32 half) {
  return bits(half, 12, 10) << 3 | bits(half, 6, 6) << 2 | bits(half, 5, 5) << 6;
}
u32 double_offset(u32 half) { return bits(half, 12, 10) << 3 | bits(half, 6, 5) << 6; }
i64 small_immediate(u32 half) { return with_sign(bits(half, 12, 12) << 5 | bits(half, 6, 2), 6); }

u32 expand_0(u32 half, Width width) {
  bool wide = width == Width::rv64;
  switch (bits(half, 15, 13)) {
    case 0: {
      u32 value = bits(half, 10, 7) << 6 | bits(half, 12, 11) << 4 | bits(half, 5, 5) << 3 |
                  bits(half, 6, 6) << 2;
      return value ? i_type(value, sp, 0, low(half), 0x13) : 0;  // addi rd, sp
    }
    case 1:
      return i_type(double_offset(half), high(half), 3, low(half), 0x07);  // fld
    case 2:
      return i_type(word_offset(half), high(half), 2, low(half), 0x03);  // lw
    case 3:                                                              // ld, flw
      return wide ? i_type(double_offset(half), high(half), 3, low(half), 0x03)
                  : i_type(word_offset(half), high(half), 2, low(half), 0x07);
    case 5:
      return s_type(double_offset(half), low(half), high(half), 3, 0x27);  // fsd
    case 6:
      return s_type(word_offset(half), low(half), high(half), 2, 0x23);  // sw
    case 7:                                                              // sd, fsw
      return wide ? s_type(double_offset(half), low(half), high(half), 3, 0x23)
                  : s_type(word_offset(half), low(half), high(half), 2, 0x27);
    default:
      return 0;
  }
}

u32 expand_arithmetic(u32 half, Width width) {
  u32 shift = bits(half, 12, 12) << 5 | bits(half, 6, 2), target = high(half);
  if (width == Width::rv32 && bits(half, 12, 12) && bits(half, 11, 10) != 2) return 0;
  switch (bits(half, 11, 10)) {
    case 0:
      return i_type(shift, target, 5, target, 0x13);  // srli
    case 1:
      return i_type(0x400 | shift, target, 5, target, 0x13);  // srai
    case 2:
      return i_type(small_immediate(half), target, 7, target, 0x13);  // andi
    default:
      break;
  }
  u32 second = low(half), kind = bits(half, 6, 5);
  if (bits(half, 12, 12))  // addw, subw
    return kind > 1 ? 0 : r_type(kind ? 0 : 0x20, second, target, 0, target, 0x3b);
  constexpr u32 functions[] = {0, 4, 6, 7};  // sub, xor, or, and
  return r_type(kind ? 0 : 0x20, second, target, functions[kind], target, 0x33);
}

i64 short_jump(u32 half) {
  return with_sign(bits(half, 12, 12) << 11 | bits(half, 8, 8) << 10 | bits(half, 10, 9) << 8 |
                       bits(half, 6, 6) << 7 | bits(half, 7, 7) << 6 | bits(half, 2, 2) << 5 |
                       bits(half, 11, 11) << 4 | bits(half, 5, 3) << 1,
                   12);
}

i64 short_branch(u32 half) {
  return with_sign(bits(half, 12, 12) << 8 | bits(half, 6, 5) << 6 | bits(half, 2, 2) << 5 |
                       bits(half, 11, 10) << 3 | bits(half, 4, 3) << 1,
                   9);
}

u32 expand_1(u32 half, Width width) {
  u32 target = rd(half);
  i64 value = small_immediate(half);
  switch (bits(half, 15, 13)) {
    case 0:
      return i_type(value, target, 0, target, 0x13);  // addi
    case 1:                                           // addiw, jal
      if (width == Width::rv32) return j_type(short_jump(half), ra);
      return target ? i_type(value, target, 0, target, 0x1b) : 0;
    case 2:
      return i_type(value, 0, 0, target, 0x13);  // li
    case 3: {
      if (target != sp) return value ? static_cast<u32>(value) << 12 | target << 7 | 0x37 : 0;
      i64 large =
          with_sign(bits(half, 12, 12) << 9 | bits(half, 4, 3) << 7 | bits(half, 5, 5) << 6 |
                        bits(half, 2, 2) << 5 | bits(half, 6, 6) << 4,
                    10);
      return large ? i_type(large, sp, 0, sp, 0x13) : 0;
    }
    case 4:
      return expand_arithmetic(half, width);
    case 5:
      return j_type(short_jump(half), 0);
    default:  // beqz, bnez
      return b_type(short_branch(half), high(half), bits(half, 13, 13));
  }
}

u32 expand_2(u32 half, Width width) {
  bool is_64 = width == Width::rv64;
  u32 target = rd(half), second = bits(half, 6, 2);
  u32 word = bits(half, 3, 2) << 6 | bits(half, 12, 12) << 5 | bits(half, 6, 4) << 2;
  u32 wide = bits(half, 4, 2) << 6 | bits(half, 12, 12) << 5 | bits(half, 6, 5) << 3;
  u32 word_store = bits(half, 8, 7) << 6 | bits(half, 12, 9) << 2;
  u32 wide_store = bits(half, 9, 7) << 6 | bits(half, 12, 10) << 3;
  switch (bits(half, 15, 13)) {
    case 0:  // slli
      if (!is_64 && bits(half, 12, 12)) return 0;
      return i_type(bits(half, 12, 12) << 5 | second, target, 1, target, 0x13);
    case 1:
      return i_type(wide, sp, 3, target, 0x07);
    case 2:
      return target ? i_type(word, sp, 2, target, 0x03) : 0;
    case 3:  // ld, flw
      if (!is_64) return i_type(word, sp, 2, target, 0x07);
      return target ? i_type(wide, sp, 3, target, 0x03) : 0;
    case 4:
      if (second && bits(half, 12, 12)) return r_type(0, second, target, 0, target, 0x33);  // add
      if (second) return i_type(0, second, 0, target, 0x13);                                // mv
      if (target) return i_type(0, target, 0, bits(half, 12, 12) ? ra : 0, 0x67);  // jr, jalr
      return bits(half, 12, 12) ? 0x00100073 : 0;                                  // ebreak
    case 5:
      return s_type(wide_store, second, sp, 3, 0x27);
    case 6:
      return s_type(word_store, second, sp, 2, 0x23);
    default:  // sd, fsw
      return is_64 ? s_type(wide_store, second, sp, 3, 0x23)
                   : s_type(word_store, second, sp, 2, 0x27);
  }
}

}  // namespace

u32 expand(u16 half, Width width) {
  switch (half & 3) {
    case 0:
      return expand_0(half, width);
    case 1:
      return expand_1(half, width);
    case 2:
      return expand_2(half, width);
    default:
      return 0;
  }
}

Word next_word(Bytes code, Width width) {
  Cursor in(code);
  u16 half = in.get<u16>();
  if (!in.ok()) return {};
  constexpr u32 unimplemented = 0xc0001073;  // a half of zeros is this
  if (half == 0) return {unimplemented, 2};
  if ((half & 3) != 3) {
    u32 word = expand(half, width);
    return {word, static_cast<u8>(word ? 2 : 0)};
  }
  if ((half & 0x1c) == 0x1c) return {};  // longer than 32 bits
  u16 second = in.get<u16>();
  return {u32{second} << 16 | half, static_cast<u8>(in.ok() ? 4 : 0)};
}

}  // namespace pgokit::isa::riscv
