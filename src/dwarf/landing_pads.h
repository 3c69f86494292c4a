#pragma once

// Where exceptions that leave the calls of a function go on: its cleanups and handlers, by the
// table that its entry in .eh_frame names, in .gcc_except_table.
//
//   LandingPads pads(file);
//   for (const auto& range : frame_ranges(file))
//     for (u64 address : pads.of(range)) use(address);
//
//   {u8 encoding [start], u8 encoding [types], u8 encoding, uleb128 size,
//    size bytes of {begin, length, landing pad, uleb128 action}}
//
// Source of truth: Itanium C++ ABI, "Exception Handling Tables".

#include <vector>

#include "dwarf/cfi.h"
#include "object/file.h"

namespace pgokit::dwarf {

class LandingPads {
 public:
  explicit LandingPads(const object::File& file);

  // Addresses, ascending, each once; as far as the table can be read. All tables together have no
  // more bytes than their section, so that asking for those of all functions takes linear time.
  std::vector<u64> of(const FrameRange& range);

 private:
  Bytes tables_;
  u64 address_ = 0;
  size_t left_ = 0;
};

}  // namespace pgokit::dwarf
