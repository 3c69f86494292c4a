// Arm branches by mask tests, as for AArch64: every instruction is a word, and every word counts as
// one, since data between functions is marked by symbols ($d). Source of truth: Arm Architecture
// Reference Manual, Armv7-A and -R edition, A5.

#include "base/cursor.h"
#include "isa/arm/arm.h"
#include "isa/machines.h"

namespace pgokit::isa {
namespace {

constexpr u32 always = 14, no_condition = 15;

// Of instructions without a condition, whose space is another one.
Flow unconditional_flow(u32 word) {
  if ((word & 0xfe000000) == 0xfa000000) return Flow::call;  // blx, to Thumb code
  if ((word & 0xfe500000) == 0xf8100000) return Flow::ret;   // rfe
  return Flow::none;
}

// mov, add, ldr and ldm with the program counter as what they write.
Flow flow_by_result(u32 word) {
  bool to_pc = (word >> 12 & 15) == 15;
  switch (word >> 25 & 7) {
    case 0:
      if ((word & 0x90) == 0x90) return Flow::none;  // multiplications, loads of halves
      [[fallthrough]];
    case 1: {
      bool compares = (word >> 23 & 3) == 2;  // tst to cmn, and what has its place without flags
      if (!to_pc || compares) return Flow::none;
      bool from_lr = (word & 0x0fef0fff) == 0x01a0000e || (word & 0x0ffff000) == 0x025ef000;
      return from_lr ? Flow::ret : Flow::indirect_jump;  // mov pc, lr; subs pc, lr, #n
    }
    case 3:
      if (word & 0x10) return Flow::none;  // media
      [[fallthrough]];
    case 2:
      if (!to_pc || (word & 0x00500000) != 0x00100000) return Flow::none;
      return (word & 0x0fff0fff) == 0x049d0004 ? Flow::ret : Flow::indirect_jump;  // pop {pc}
    case 4:
      return (word & 0x00108000) == 0x00108000 ? Flow::ret : Flow::none;
    default:
      return Flow::none;
  }
}

struct Pattern {
  u32 mask, value;
  Flow flow;
};

constexpr Pattern patterns[] = {
    {0x0f000000, 0x0b000000, Flow::call},           // bl
    {0x0ffffff0, 0x012fff10, Flow::indirect_jump},  // bx
    {0x0ffffff0, 0x012fff20, Flow::indirect_jump},  // bxj
    {0x0ffffff0, 0x012fff30, Flow::indirect_call},  // blx
    {0x0fffffff, 0x0160006e, Flow::ret},            // eret
    {0x0f000000, 0x0f000000, Flow::other},          // svc
    {0x0ff000f0, 0x01200070, Flow::other},          // bkpt
    {0x0ff000f0, 0x01400070, Flow::other},          // hvc
    {0x0ff000f0, 0x01600070, Flow::other},          // smc
    {0xfff000f0, 0xe7f000f0, Flow::other},          // udf
};

Flow flow_of(u32 word) {
  u32 condition = word >> 28;
  if (condition == no_condition) return unconditional_flow(word);
  if ((word & 0x0f000000) == 0x0a000000)
    return condition == always ? Flow::jump : Flow::conditional;  // b
  if ((word & 0x0fffffff) == 0x012fff1e) return Flow::ret;        // bx lr
  for (const Pattern& pattern : patterns)
    if ((word & pattern.mask) == pattern.value) return pattern.flow;
  return flow_by_result(word);
}

}  // namespace

// The program counter reads as two instructions ahead.
Instruction decode_arm(Bytes code, u64 address, LockPrefix) {
  if (code.size() < 4) return {.skip = static_cast<u8>(code.empty() ? 1 : code.size())};
  u32 word = Cursor(code).get<u32>();
  Instruction out{.length = 4, .flow = flow_of(word)};
  out.has_target =
      out.flow == Flow::jump || out.flow == Flow::call || out.flow == Flow::conditional;
  if (!out.has_target) return out;
  u32 half = word >> 28 == no_condition ? word >> 23 & 2 : 0;
  out.target = arm::address_at(address + 8, arm::with_sign(word & 0xffffff, 24) * 4 + half);
  return out;
}

}  // namespace pgokit::isa
