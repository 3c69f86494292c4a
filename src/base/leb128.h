#pragma once

// Numbers of seven bits a byte, the lowest first, each byte but the last with its highest bit set:
// ULEB128, and SLEB128 for signed ones. Cursor reads them.
//
//   put_uleb128(624485, [&](u8 byte) { text.push_back(static_cast<char>(byte)); });

#include "base/types.h"

namespace pgokit {

inline constexpr unsigned longest_leb128 = 10;  // bytes

// `put` is given each byte.
template <class Put>
void put_uleb128(u64 value, Put put) {
  for (; value >= 0x80; value >>= 7) put(static_cast<u8>(value | 0x80));
  put(static_cast<u8>(value));
}

template <class Put>
void put_sleb128(i64 value, Put put) {
  for (; value < -64 || value >= 64; value >>= 7) put(static_cast<u8>(value | 0x80));
  put(static_cast<u8>(value & 0x7f));
}

}  // namespace pgokit
