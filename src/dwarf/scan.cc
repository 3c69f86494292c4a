#include "dwarf/scan.h"

namespace pgokit::dwarf {

bool EntryScanner::skip_variable(SkipStep step, const Abbrev& abbrev) {
  if (at_ > size_) return false;
  Cursor in(unit_.sections->info.subspan(at_));
  switch (step.kind()) {
    case SkipStep::leb:
      while (in.get<u8>() >= 0x80) {
      }
      break;
    case SkipStep::text:
      in.cstring();
      break;
    case SkipStep::block1:
      in.skip(in.get<u8>());
      break;
    case SkipStep::block2:
      in.skip(in.get<u16>());
      break;
    case SkipStep::block4:
      in.skip(in.get<u32>());
      break;
    case SkipStep::block:
      in.skip(in.uleb128());
      break;
    default: {
      bool good = true;
      table_.for_each(abbrev, [&](AttributeSpec spec, i64 constant) {
        Value value;
        return good = read_value(in, unit_, spec, constant, value);
      });
      if (!good) return false;
    }
  }
  at_ += in.position();
  return in.ok();
}

u64 EntryScanner::long_leb() {
  Cursor in(unit_.sections->info.subspan(std::min(at_, size_)));
  u64 value = in.uleb128();
  at_ += in.position();
  if (!in.ok()) at_ = size_ + 1;
  return value;
}

}  // namespace pgokit::dwarf
