#include "base/cursor.h"

namespace pgokit {

u64 Cursor::uleb128_long() {
  u64 value = 0;
  for (unsigned shift = 0; at_ < end_; shift += 7) {
    u64 byte = *at_++;
    u64 bits = byte & 0x7f;
    bool lost = shift >= 64 ? bits != 0 : (bits << shift >> shift) != bits;
    if (lost) [[unlikely]]
      break;
    if (shift < 64) value |= bits << shift;
    if (byte < 0x80) return value;
  }
  fail();
  return 0;
}

i64 Cursor::sleb128() {
  u64 value = 0;
  for (unsigned shift = 0; at_ < end_; shift += 7) {
    u64 byte = *at_++;
    if (shift < 64) value |= (byte & 0x7f) << shift;
    if (byte >= 0x80) {
      if (shift > 128) break;  // only padding can be this long
      continue;
    }
    if (shift + 7 < 64 && (byte & 0x40)) value |= ~u64{0} << (shift + 7);
    return static_cast<i64>(value);
  }
  fail();
  return 0;
}

}  // namespace pgokit
