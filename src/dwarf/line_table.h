#pragma once

// One line table (.debug_line): which line of which file an instruction comes from.
//
//   auto table = LineTable::read(unit, bytes);
//   auto part = table.find(address);                // part.row is nullptr between sequences
//   table.file_name(part.row->file, comp_dir);
//
// Only what a look-up by address can see is kept: of rows at one address the last, of neighbours
// that say the same the first. 16 bytes a row.

#include <string>
#include <string_view>
#include <vector>

#include "dwarf/debug_info.h"
#include "dwarf/ranges.h"

namespace pgokit::dwarf {

class LineTable {
 public:
  struct Row {
    u32 offset = 0;  // from the sequence's first address
    u32 line = 0;
    u32 discriminator = 0;
    u16 column = 0;
    u16 file = 0;
  };
  struct Part {
    Range range;  // holds the address
    const Row* row = nullptr;
  };

  // `bytes` begin with the table's header. A table that breaks off keeps what came before.
  static LineTable read(const Unit& unit, Bytes bytes);

  Part find(u64 address, LinePlace& last) const;
  Part find(u64 address) const {
    LinePlace anywhere;
    return find(address, anywhere);
  }
  // Joined with its directory, and that with `comp_dir` where it is relative.
  std::string file_name(u64 index, std::string_view comp_dir) const;
  bool empty() const { return sequences_.empty(); }
  bool has_discriminators() const { return has_discriminators_; }

 private:
  struct Header {
    u16 version = 0;
    u8 min_instruction = 1, max_operations = 1, line_range = 1, opcode_base = 13;
    signed char line_base = 0;
    Bytes operand_counts;
    Bytes program;
  };
  struct Sequence {
    Range range;
    u32 first = 0, end = 0;  // rows
  };
  struct FileEntry {
    std::string_view name;
    u64 directory = 0;
  };
  class Program;

  u32 sequence_behind(u64 address, u32 last) const;
  u32 row_at(const Sequence& sequence, u64 offset, u32 last) const;
  bool read_header(const Unit& unit, Bytes bytes, Header& header);
  bool read_names(Cursor& in);
  bool read_names_v5(Cursor& in, const Unit& unit);
  bool has_file(u64 index) const;

  u16 version_ = 0;
  bool has_discriminators_ = false;
  std::vector<std::string_view> directories_;
  std::vector<FileEntry> files_;
  std::vector<Row> rows_;
  std::vector<Sequence> sequences_;  // by end
};

}  // namespace pgokit::dwarf
