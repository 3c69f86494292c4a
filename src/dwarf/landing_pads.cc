#include "dwarf/landing_pads.h"

#include <algorithm>

#include "dwarf/eh_pointer.h"

namespace pgokit::dwarf {

LandingPads::LandingPads(const object::File& file) {
  const auto* section = file.section(".gcc_except_table");
  if (!section) return;
  tables_ = section->contents;
  address_ = section->address;
  left_ = tables_.size();
}

std::vector<u64> LandingPads::of(const FrameRange& range) {
  std::vector<u64> pads;
  u64 offset = range.exceptions - address_;
  if (range.exceptions == 0 || offset >= tables_.size()) return pads;
  Cursor in(tables_.subspan(offset));
  u64 start = range.begin;
  if (u8 encoding = in.get<u8>(); encoding != eh_omitted)
    start = read_eh_pointer(in, encoding, range.exceptions + in.position());
  if (u8 encoding = in.get<u8>(); encoding != eh_omitted) in.uleb128();
  u8 encoding = in.get<u8>();
  Cursor calls(in.bytes(in.uleb128()));
  if (!in.ok() || calls.left() > left_) return pads;
  left_ -= calls.left();
  while (!calls.at_end()) {
    read_eh_pointer(calls, encoding, 0);  // where the calls begin, and how many bytes they have
    read_eh_pointer(calls, encoding, 0);
    u64 pad = read_eh_pointer(calls, encoding, 0);
    calls.uleb128();
    if (!calls.ok()) break;
    if (pad != 0) pads.push_back(start + pad);
  }
  std::ranges::sort(pads);
  auto repeated = std::ranges::unique(pads);
  pads.erase(repeated.begin(), repeated.end());
  return pads;
}

}  // namespace pgokit::dwarf
