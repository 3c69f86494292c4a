// Thumb branches by mask tests. An instruction has two bytes, or four where the first two say so;
// every encoding counts as one. Source of truth: Arm Architecture Reference Manual, Armv7-A and -R
// edition, A6.

#include "base/cursor.h"
#include "isa/arm/arm.h"
#include "isa/machines.h"

namespace pgokit::isa {
namespace {

using arm::address_at;
using arm::with_sign;

Instruction plain(u8 length, Flow flow) { return {.length = length, .flow = flow}; }
Instruction branch(u8 length, Flow flow, u64 target) {
  return {.length = length, .flow = flow, .has_target = true, .target = target};
}

Instruction decode_short(u16 half, u64 address) {
  u64 pc = address + 4;
  if ((half & 0xf800) == 0xe000)  // b
    return branch(2, Flow::jump, address_at(pc, with_sign(half & 0x7ff, 11) * 2));
  if ((half & 0xf000) == 0xd000) {
    if ((half >> 8 & 15) >= 14) return plain(2, Flow::other);  // udf, svc
    return branch(2, Flow::conditional, address_at(pc, with_sign(half & 0xff, 8) * 2));
  }
  if ((half & 0xf500) == 0xb100)  // cbz, cbnz
    return branch(2, Flow::conditional,
                  address_at(pc, (half >> 9 & 1) << 6 | (half >> 3 & 0x1f) << 1));
  if ((half & 0xff80) == 0x4780) return plain(2, Flow::indirect_call);  // blx
  bool from_lr = (half & 0x0078) == 0x0070;
  if ((half & 0xff80) == 0x4700 || (half & 0xff87) == 0x4687)  // bx; mov pc
    return plain(2, from_lr ? Flow::ret : Flow::indirect_jump);
  if ((half & 0xff87) == 0x4487) return plain(2, Flow::indirect_jump);  // add pc
  if ((half & 0xff00) == 0xbd00) return plain(2, Flow::ret);            // pop {..., pc}
  if ((half & 0xff00) == 0xbe00) return plain(2, Flow::other);          // bkpt
  return plain(2, Flow::none);
}

// b, bl and blx: the two bits below the sign are stored in a form in which zeros and ones of short
// distances look like those of the first Thumb.
i64 far_distance(u16 first, u16 second) {
  u64 sign = first >> 10 & 1, j1 = second >> 13 & 1, j2 = second >> 11 & 1;
  u64 value = sign << 24 | (j1 ^ sign ^ 1) << 23 | (j2 ^ sign ^ 1) << 22 |
              u64{first & 0x3ffu} << 12 | u64{second & 0x7ffu} << 1;
  return with_sign(value, 25);
}

i64 conditional_distance(u16 first, u16 second) {
  u64 sign = first >> 10 & 1, j1 = second >> 13 & 1, j2 = second >> 11 & 1;
  return with_sign(
      sign << 20 | j2 << 19 | j1 << 18 | u64{first & 0x3fu} << 12 | u64{second & 0x7ffu} << 1, 21);
}

// Branches, and what controls the processor.
Instruction decode_control(u16 first, u16 second, u64 address) {
  u64 pc = address + 4;
  switch (second & 0x5000) {
    case 0x5000:
      return branch(4, Flow::call, address_at(pc, far_distance(first, second)));
    case 0x4000:  // blx, to Arm code
      return branch(4, Flow::call,
                    address_at(pc & ~u64{3}, far_distance(first, static_cast<u16>(second & ~1))));
    case 0x1000:
      return branch(4, Flow::jump, address_at(pc, far_distance(first, second)));
    default:
      break;
  }
  if ((first >> 6 & 15) < 14)
    return branch(4, Flow::conditional, address_at(pc, conditional_distance(first, second)));
  if ((first & 0xfff0) == 0xf3c0 && (second & 0xff00) == 0x8f00)
    return plain(4, Flow::indirect_jump);  // bxj
  if (first == 0xf3de && (second & 0xff00) == 0x8f00)
    return plain(4, Flow::ret);  // subs pc, lr, #n; eret
  bool traps = (first & 0xffe0) == 0xf7e0 || first == 0xf78f;
  return plain(4, traps ? Flow::other : Flow::none);  // hvc, smc, udf, dcps
}

Flow long_flow(u16 first, u16 second) {
  bool loads_many = (first & 0xffd0) == 0xe890 || (first & 0xffd0) == 0xe910;
  if (loads_many && (second & 0x8000)) return Flow::ret;  // pop {..., pc}
  if ((first & 0xfff0) == 0xe8d0 && (second & 0xffe0) == 0xf000)
    return Flow::indirect_jump;  // tbb, tbh
  if ((first & 0xff70) == 0xf850 && second >> 12 == 15)
    return first == 0xf85d && second == 0xfb04 ? Flow::ret : Flow::indirect_jump;  // ldr pc
  bool returns = (first & 0xffd0) == 0xe810 || (first & 0xffd0) == 0xe990;
  return returns && second == 0xc000 ? Flow::ret : Flow::none;  // rfe
}

}  // namespace

Instruction decode_thumb(Bytes code, u64 address) {
  if (code.size() < 2) return {.skip = 1};
  Cursor in(code);
  u16 first = in.get<u16>();
  if (!arm::is_long(first)) return decode_short(first, address);
  u16 second = in.get<u16>();
  if (!in.ok()) return {.skip = 2};
  if ((first & 0xf800) == 0xf000 && (second & 0x8000))
    return decode_control(first, second, address);
  return plain(4, long_flow(first, second));
}

}  // namespace pgokit::isa
