#include "isa/x86/quick.h"

#include <array>
#include <cstdint>
#include <cstring>

namespace pgokit::isa {
namespace {

// What follows an opcode, and the prefixes that it may have in front.
enum Form : u16 {
  modrm = 1 << 0,
  imm8 = 1 << 1,
  imm32 = 1 << 2,        // 16 bits with prefix 66
  imm_full = 1 << 3,     // and 64 with REX.W
  relative = 1 << 4,     // the immediate is where it goes
  memory_only = 1 << 5,  // not between registers
  group = 1 << 6,        // modrm.reg decides
  bare = 1 << 8,         // without prefix
  with_66 = 1 << 9,
  with_f3 = 1 << 10,
  with_f2 = 1 << 11,
  integer = bare | with_66,
  vector = bare | with_66 | with_f3 | with_f2,
};

using Forms = std::array<u16, 256>;

constexpr void set(Forms& forms, unsigned first, unsigned last, unsigned form) {
  for (unsigned opcode = first; opcode <= last; ++opcode) forms[opcode] = static_cast<u16>(form);
}

constexpr Forms one_byte_forms() {
  Forms forms{};
  for (unsigned arithmetic = 0x00; arithmetic < 0x40; arithmetic += 8) {
    set(forms, arithmetic, arithmetic + 3, integer | modrm);
    set(forms, arithmetic + 4, arithmetic + 4, integer | imm8);
    set(forms, arithmetic + 5, arithmetic + 5, integer | imm32);
  }
  set(forms, 0x50, 0x5f, integer);  // push, pop
  set(forms, 0x63, 0x63, integer | modrm);
  set(forms, 0x68, 0x68, integer | imm32);
  set(forms, 0x69, 0x69, integer | modrm | imm32);
  set(forms, 0x6a, 0x6a, integer | imm8);
  set(forms, 0x6b, 0x6b, integer | modrm | imm8);
  set(forms, 0x70, 0x7f, bare | imm8 | relative);
  set(forms, 0x80, 0x80, integer | modrm | imm8);
  set(forms, 0x81, 0x81, integer | modrm | imm32);
  set(forms, 0x83, 0x83, integer | modrm | imm8);
  set(forms, 0x84, 0x8b, integer | modrm);  // test, xchg, mov
  set(forms, 0x8d, 0x8d, integer | modrm | memory_only);
  set(forms, 0x90, 0x99, integer);
  set(forms, 0xa8, 0xa8, integer | imm8);
  set(forms, 0xa9, 0xa9, integer | imm32);
  set(forms, 0xb0, 0xb7, integer | imm8);
  set(forms, 0xb8, 0xbf, integer | imm_full);
  set(forms, 0xc0, 0xc1, integer | modrm | imm8 | group);
  set(forms, 0xc3, 0xc3, bare);
  set(forms, 0xc6, 0xc6, integer | modrm | imm8 | group);
  set(forms, 0xc7, 0xc7, integer | modrm | imm32 | group);
  set(forms, 0xc9, 0xc9, bare);
  set(forms, 0xcc, 0xcc, bare);
  set(forms, 0xd0, 0xd3, integer | modrm | group);
  set(forms, 0xe8, 0xe9, bare | imm32 | relative);
  set(forms, 0xeb, 0xeb, bare | imm8 | relative);
  set(forms, 0xf6, 0xf7, integer | modrm | group);
  set(forms, 0xfe, 0xff, integer | modrm | group);
  return forms;
}

constexpr Forms forms_behind_0f() {
  Forms forms{};
  set(forms, 0x10, 0x11, vector | modrm);
  set(forms, 0x14, 0x15, integer | modrm);
  set(forms, 0x1f, 0x1f, integer | modrm | group);  // nop
  set(forms, 0x28, 0x29, integer | modrm);
  set(forms, 0x2a, 0x2a, with_f3 | with_f2 | modrm);
  set(forms, 0x2c, 0x2d, with_f3 | with_f2 | modrm);
  set(forms, 0x2e, 0x2f, integer | modrm);
  set(forms, 0x40, 0x4f, integer | modrm);  // cmov
  set(forms, 0x51, 0x51, vector | modrm);
  set(forms, 0x54, 0x57, integer | modrm);
  set(forms, 0x58, 0x5a, vector | modrm);
  set(forms, 0x5c, 0x5f, vector | modrm);
  set(forms, 0x60, 0x6e, with_66 | modrm);
  set(forms, 0x6f, 0x6f, with_66 | with_f3 | modrm);
  set(forms, 0x70, 0x70, with_66 | with_f3 | with_f2 | modrm | imm8);
  set(forms, 0x74, 0x76, with_66 | modrm);
  set(forms, 0x7e, 0x7f, with_66 | with_f3 | modrm);
  set(forms, 0x80, 0x8f, bare | imm32 | relative);
  set(forms, 0x90, 0x9f, integer | modrm);  // set
  set(forms, 0xa3, 0xa3, integer | modrm);
  set(forms, 0xab, 0xab, integer | modrm);
  set(forms, 0xaf, 0xaf, integer | modrm);
  set(forms, 0xb3, 0xb3, integer | modrm);
  set(forms, 0xb6, 0xb7, integer | modrm);
  set(forms, 0xbb, 0xbb, integer | modrm);
  set(forms, 0xbc, 0xbd, integer | with_f3 | modrm);
  set(forms, 0xbe, 0xbf, integer | modrm);
  set(forms, 0xc2, 0xc2, vector | modrm | imm8);
  set(forms, 0xc6, 0xc6, integer | modrm | imm8);
  set(forms, 0xc8, 0xcf, bare);  // bswap
  set(forms, 0xd1, 0xd5, with_66 | modrm);
  set(forms, 0xd8, 0xe5, with_66 | modrm);
  set(forms, 0xe8, 0xef, with_66 | modrm);
  set(forms, 0xf1, 0xf6, with_66 | modrm);
  set(forms, 0xf8, 0xfe, with_66 | modrm);
  return forms;
}

constexpr Forms one_byte = one_byte_forms(), behind_0f = forms_behind_0f();

// What the register field of a group makes of the form; 0: not here.
u16 form_in_group(u16 form, bool after_0f, u8 opcode, unsigned reg, bool prefixed) {
  auto only = [&](bool good) { return static_cast<u16>(good ? form : 0); };
  if (after_0f) return only(reg == 0);
  switch (opcode) {
    case 0xc6:
    case 0xc7:
      return only(reg == 0);
    case 0xf6:
    case 0xf7:
      if (reg == 0) return static_cast<u16>(form | (opcode == 0xf6 ? imm8 : imm32));
      return only(reg > 1);
    case 0xfe:
      return only(reg < 2);
    case 0xff:
      return only(reg < 2 || reg == 6 || ((reg == 2 || reg == 4) && !prefixed));
    default:
      return only(reg != 6);  // shifts
  }
}

Flow flow_of(bool after_0f, u8 opcode, u8 reg) {
  if (after_0f) return (opcode & 0xf0) == 0x80 ? Flow::conditional : Flow::none;
  if ((opcode & 0xf0) == 0x70) return Flow::conditional;
  switch (opcode) {
    case 0xc3:
      return Flow::ret;
    case 0xcc:
      return Flow::other;
    case 0xe8:
      return Flow::call;
    case 0xe9:
    case 0xeb:
      return Flow::jump;
    case 0xff:
      return reg == 2 ? Flow::indirect_call : reg == 4 ? Flow::indirect_jump : Flow::none;
    default:
      return Flow::none;
  }
}

// Of the modrm byte and what belongs to it.
unsigned address_length(const u8* modrm_byte) {
  unsigned mode = *modrm_byte >> 6, base = *modrm_byte & 7, length = 1;
  if (mode == 3) return length;
  if (base == 4) {
    ++length;
    base = modrm_byte[1] & 7;
  }
  return length + (mode == 1 ? 1 : mode == 2 || base == 5 ? 4 : 0);
}

template <class Signed>
u64 extended(const u8* at) {
  Signed value;
  std::memcpy(&value, at, sizeof value);
  return static_cast<u64>(static_cast<i64>(value));
}

}  // namespace

Instruction decode_common_x86(Bytes code, u64 address) {
  constexpr size_t longest = 15;
  if (code.size() < longest) return {};
  const u8* at = code.data();
  unsigned prefix = bare;
  if (*at == 0x66 || *at == 0xf3 || *at == 0xf2)
    prefix = *at == 0x66 ? with_66 : *at == 0xf3 ? with_f3 : with_f2, ++at;
  u8 rex = (*at & 0xf0) == 0x40 ? *at++ : 0;
  bool after_0f = *at == 0x0f;
  at += after_0f;
  u8 opcode = *at++;
  u16 form = (after_0f ? behind_0f : one_byte)[opcode];
  u8 reg = *at >> 3 & 7;
  if (form & group) form = form_in_group(form, after_0f, opcode, reg, prefix != bare);
  if (!(form & prefix)) return {};
  if (form & modrm) {
    if ((form & memory_only) && *at >> 6 == 3) return {};
    at += address_length(at);
  }
  const u8* immediate = at;
  bool word = prefix == with_66, wide = rex & 8;
  if (form & imm8) at += 1;
  if (form & imm32) at += word && !wide ? 2 : 4;
  if (form & imm_full) at += wide ? 8 : word ? 2 : 4;
  Instruction one{.length = static_cast<u8>(at - code.data()),
                  .flow = flow_of(after_0f, opcode, reg)};
  if (form & relative) {
    one.has_target = true;
    u64 distance = form & imm8 ? extended<std::int8_t>(immediate) : extended<i32>(immediate);
    one.target = address + one.length + distance;
  }
  return one;
}

}  // namespace pgokit::isa
