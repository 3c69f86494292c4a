#pragma once

// How to get from a function's frame to that of its caller, by the unwind tables of an x86-64 ELF
// file (.eh_frame, searched through .eh_frame_hdr where there is one: static programs may lack it).
//
//   auto table = CfiTable::find(file);                 // an object::File; views into it
//   if (auto row = table->row_at(address)) {
//     u64 cfa = registers[row->cfa_register] + row->cfa_offset;
//     constexpr auto ra = CfiRow::return_address;
//     if (row->saved(ra)) use(cfa + row->offset[ra]);    // where the return address is
//   }
//
// Knows what compilers write for ordinary functions and linkers for procedure linkage tables; rows
// with other expressions count as unknown.
//
//   .eh_frame_hdr  {u8 version 1, u8 encodings[3], i32 eh_frame, u32 n, n x {i32 pc, i32 entry}}
//   entry          {u32 length, u32 back to its common part, pc, range, augmentation, instructions}
//
// Sources of truth: LSB Core "Exception Frames", DWARF 5 section 6.4, System V ABI for AMD64.

#include <array>
#include <optional>
#include <vector>

#include "object/file.h"

namespace pgokit::dwarf {

struct CfiRow {
  static constexpr u8 rbx = 3, rbp = 6, rsp = 7, return_address = 16;
  static constexpr u8 registers = 17;

  u8 cfa_register = rsp;
  i64 cfa_offset = 8;
  // Of a procedure linkage table: 8 more where (pc & 15) >= this; 0: it is none.
  u8 linkage_threshold = 0;
  bool signal_frame = false;
  std::array<i32, registers> offset{};  // from the CFA, where the register's bit is set
  u32 saved_set = 0, lost_set = 0;

  bool saved(u8 number) const { return saved_set >> number & 1; }
  bool lost(u8 number) const { return lost_set >> number & 1; }
};

// The code that one entry is for.
struct FrameRange {
  u64 begin = 0, size = 0;
  u64 exceptions = 0;  // the address of its table for exceptions (landing_pads.h); 0: it has none
};

// Of all entries of .eh_frame, ascending.
std::vector<FrameRange> frame_ranges(const object::File& file);

class CfiTable {
 public:
  // Nothing where the file has no table.
  static std::optional<CfiTable> find(const object::File& file);

  // The row for an address of the file.
  std::optional<CfiRow> row_at(u64 address) const;

 private:
  struct Place {
    u64 address, entry;  // the code's; the offset of its entry in frames_
  };

  bool use_header(const object::File& file);
  void list_entries();
  std::optional<u64> entry_of(u64 address) const;

  Bytes search_;  // the pairs of the header
  u64 search_address_ = 0;
  std::vector<Place> listed_;  // where there is no header; by address
  Bytes frames_;
  u64 frames_address_ = 0;
};

}  // namespace pgokit::dwarf
