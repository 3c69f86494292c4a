#pragma once

// What decoding and printing of Arm and Thumb share.
//
//   u64 target = isa::arm::address_at(address + 8, isa::arm::with_sign(word & 0xffffff, 24) * 4);

#include "base/types.h"

namespace pgokit::isa::arm {

// The lowest `count` bits of a number that has no more, extended by their sign.
constexpr i64 with_sign(u64 value, unsigned count) {
  u64 sign = u64{1} << (count - 1);
  return static_cast<i64>((value ^ sign) - sign);
}

// Addresses have 32 bits.
constexpr u64 address_at(u64 base, i64 offset) {
  return static_cast<u32>(base + static_cast<u64>(offset));
}

// Whether a Thumb instruction that begins with these two bytes has two more.
constexpr bool is_long(u16 first) { return first >= 0xe800; }

}  // namespace pgokit::isa::arm
