#include "dwarf/eh_pointer.h"

namespace pgokit::dwarf {

u64 read_eh_pointer(Cursor& in, u8 encoding, u64 address) {
  u64 base = (encoding & 0x70) == eh_relative_to_pc ? address : 0;
  switch (encoding & 0x0f) {
    case eh_absolute:
    case eh_unsigned8:
    case eh_signed8:
      return base + in.get<u64>();
    case eh_uleb128:
      return base + in.uleb128();
    case eh_unsigned4:
      return base + in.get<u32>();
    case eh_signed4:
      return base + static_cast<u64>(i64(in.get<i32>()));
    default:
      in.skip(u64(-1));
      return 0;
  }
}

}  // namespace pgokit::dwarf
