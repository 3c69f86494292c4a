#include "dwarf/line_table.h"

#include <algorithm>

#include "dwarf/constants.h"

namespace pgokit::dwarf {

// The state machine of DWARF 5, section 6.2.
class LineTable::Program {
 public:
  Program(LineTable& table, const Header& header)
      : table_(table), header_(header), in_(header.program) {}

  void run() {
    while (!in_.at_end() && in_.ok()) {
      u8 op = in_.get<u8>();
      if (op >= header_.opcode_base)
        special(op);
      else if (op == 0)
        extended();
      else
        standard(op);
    }
    drop_sequence();
  }

 private:
  void advance(u64 operations) {
    u64 per_instruction = std::max<u8>(header_.max_operations, 1);
    u64 total = operation_ + operations;
    address_ += total / per_instruction * header_.min_instruction;
    operation_ = total % per_instruction;
  }

  void special(u8 op) {
    u8 adjusted = op - header_.opcode_base;
    if (header_.line_range) {
      advance(adjusted / header_.line_range);
      line_ += static_cast<u32>(header_.line_base + adjusted % header_.line_range);
    }
    add_row();
  }

  void standard(u8 op) {
    switch (op) {
      case line_op::copy:
        return add_row();
      case line_op::advance_pc:
        return advance(in_.uleb128());
      case line_op::advance_line:
        line_ += static_cast<u32>(in_.sleb128());
        return;
      case line_op::set_file:
        file_ = static_cast<u16>(in_.uleb128());
        return;
      case line_op::set_column:
        column_ = static_cast<u16>(in_.uleb128());
        return;
      case line_op::const_add_pc:
        if (header_.line_range)
          advance(static_cast<u8>(255 - header_.opcode_base) / header_.line_range);
        return;
      case line_op::fixed_advance_pc:
        address_ += in_.get<u16>();
        operation_ = 0;
        return;
      case line_op::negate_stmt:
      case line_op::set_basic_block:
      case line_op::set_prologue_end:
      case line_op::set_epilogue_begin:
        return;
      case line_op::set_isa:
        in_.uleb128();
        return;
      default:
        for (u8 i = header_.operand_counts[op - 1]; i; --i) in_.uleb128();
    }
  }

  void extended() {
    u64 size = in_.uleb128();
    if (size == 0) return;
    Cursor op(in_.bytes(size));
    switch (op.get<u8>()) {
      case line_op::end_sequence:
        return end_sequence();
      case line_op::set_address:
        if (op.left() != 4 && op.left() != 8) return;
        removed_ =
            op.left() == 4 ? Cursor(op).get<u32>() == 0xffffffff : Cursor(op).get<u64>() == ~u64{0};
        address_ = op.left() == 4 ? op.get<u32>() : op.get<u64>();
        operation_ = 0;
        return;
      case line_op::define_file: {
        FileEntry entry;
        entry.name = op.cstring();
        entry.directory = op.uleb128();
        if (op.ok()) table_.files_.push_back(entry);
        return;
      }
      case line_op::set_discriminator:
        discriminator_ = static_cast<u32>(op.uleb128());
        if (discriminator_) table_.has_discriminators_ = true;
        return;
      default:
        return;
    }
  }

  void add_row() {
    if (!removed_) place_row();
    discriminator_ = 0;
  }

  void place_row() {
    auto& rows = table_.rows_;
    if (!open_) {
      open_ = true;
      sequence_.range.begin = address_;
      sequence_.first = static_cast<u32>(rows.size());
    }
    // A sequence ascends and is smaller than 4 GiB; one that is not is broken.
    u64 offset = address_ - sequence_.range.begin;
    if (offset > 0xffffffff) broken_ = true;
    Row row{static_cast<u32>(offset), line_, discriminator_, column_, file_};
    size_t own = rows.size() - sequence_.first;
    if (own && rows.back().offset > row.offset) broken_ = true;
    if (own && rows.back().offset == row.offset) {
      rows.back() = row;
      return;
    }
    if (own > 1 && same_place(rows.back(), rows[rows.size() - 2])) rows.pop_back();
    rows.push_back(row);
  }

  static bool same_place(const Row& a, const Row& b) {
    return a.line == b.line && a.discriminator == b.discriminator && a.column == b.column &&
           a.file == b.file;
  }

  void end_sequence() {
    if (open_ && !removed_ && !broken_ && address_ > sequence_.range.begin) {
      sequence_.range.end = address_;
      sequence_.end = static_cast<u32>(table_.rows_.size());
      table_.sequences_.push_back(sequence_);
      open_ = false;
    }
    drop_sequence();
    address_ = operation_ = 0;
    line_ = file_ = 1;
    column_ = 0;
    discriminator_ = 0;
  }

  // The rows of a sequence without an end serve nobody.
  void drop_sequence() {
    if (open_) table_.rows_.resize(sequence_.first);
    open_ = broken_ = false;
  }

  LineTable& table_;
  const Header& header_;
  Cursor in_;
  Sequence sequence_;
  bool open_ = false, broken_ = false;
  bool removed_ = false;  // the linker's mark for removed code; holds until the next address
  u64 address_ = 0, operation_ = 0;
  u32 line_ = 1, discriminator_ = 0;
  u16 file_ = 1, column_ = 0;
};

LineTable LineTable::read(const Unit& unit, Bytes bytes) {
  LineTable table;
  Header header;
  if (!table.read_header(unit, bytes, header)) return table;
  Program(table, header).run();
  std::ranges::sort(table.sequences_, {},
                    [](const Sequence& s) { return std::pair(s.range.end, s.first); });
  // A row whose file is unknown tells nothing, says LLVM.
  for (auto& row : table.rows_)
    if (!table.has_file(row.file)) row = {row.offset, 0, 0, 0, row.file};
  table.rows_.shrink_to_fit();
  return table;
}

// unit_length | version u16 | v5: address size u8, segment size u8 | header_length |
// min_instruction u8 | v4: max_operations u8 | default_is_stmt u8 | line_base i8 | line_range u8 |
// opcode_base u8 | operand counts u8[opcode_base - 1] | directories, files | program
bool LineTable::read_header(const Unit& unit, Bytes bytes, Header& header) {
  Cursor in(bytes);
  u64 length = in.get<u32>();
  bool wide = length == 0xffffffff;
  if (wide) length = in.get<u64>();
  Cursor table(in.bytes(std::min<u64>(length, in.left())));
  version_ = header.version = table.get<u16>();
  if (version_ < 2 || version_ > 5) return false;
  if (version_ >= 5) table.skip(2);
  u64 header_length = wide ? table.get<u64>() : table.get<u32>();
  if (!table.ok() || header_length > table.left()) return false;
  Cursor head(table.bytes(header_length));
  header.program = table.rest();
  header.min_instruction = head.get<u8>();
  if (version_ >= 4) header.max_operations = head.get<u8>();
  head.get<u8>();
  header.line_base = static_cast<signed char>(head.get<u8>());
  header.line_range = head.get<u8>();
  header.opcode_base = head.get<u8>();
  header.operand_counts = head.bytes(header.opcode_base ? header.opcode_base - 1 : 0);
  if (!head.ok()) return false;
  // Broken names do not hinder the program.
  if (version_ >= 5) {
    Unit table_unit = unit;  // a 32-bit table may belong to a 64-bit unit
    table_unit.sizes = {version_, unit.sizes.address, static_cast<u8>(wide ? 8 : 4)};
    read_names_v5(head, table_unit);
  } else {
    read_names(head);
  }
  return true;
}

bool LineTable::read_names(Cursor& in) {
  for (auto name = in.cstring(); !name.empty(); name = in.cstring()) directories_.push_back(name);
  for (auto name = in.cstring(); !name.empty(); name = in.cstring()) {
    FileEntry entry{name, in.uleb128()};
    in.uleb128();
    in.uleb128();
    if (!in.ok()) return false;
    files_.push_back(entry);
  }
  return in.ok();
}

// Twice, for directories and for files:
// count u8 | { content (uleb), form (uleb) }* | count (uleb) | { values as described }*
bool LineTable::read_names_v5(Cursor& in, const Unit& unit) {
  for (bool directories : {true, false}) {
    std::vector<AttributeSpec> format;
    std::vector<u64> contents;
    bool has_path = false;
    for (u8 i = in.get<u8>(); i && in.ok(); --i) {
      contents.push_back(in.uleb128());
      has_path |= contents.back() == line_op::content_path;
      format.push_back({0, static_cast<u16>(std::min<u64>(in.uleb128(), 0xffff))});
    }
    u64 count = in.uleb128();
    for (u64 i = 0; i < count; ++i) {
      size_t before = in.position();
      FileEntry entry;
      for (size_t k = 0; k < format.size(); ++k) {
        bool path = contents[k] == line_op::content_path;
        if (format[k].form == form::string) {
          auto text = in.cstring();
          if (path) entry.name = text;
          continue;
        }
        Value value;
        if (!read_value(in, unit, format[k], 0, value)) return false;
        if (path) entry.name = as_text(unit, value).value_or("");
        if (contents[k] == line_op::content_directory)
          entry.directory = as_constant(value).value_or(0);
      }
      // Entries of no size could be any number.
      if (!in.ok() || in.position() == before || !has_path) return false;
      if (directories)
        directories_.push_back(entry.name);
      else
        files_.push_back(entry);
    }
  }
  return in.ok();
}

bool LineTable::has_file(u64 index) const {
  return version_ >= 5 ? index < files_.size() : index != 0 && index <= files_.size();
}

// The first sequence that ends behind the address.
u32 LineTable::sequence_behind(u64 address, u32 last) const {
  if (last < sequences_.size() && address < sequences_[last].range.end &&
      (last == 0 || address >= sequences_[last - 1].range.end))
    return last;
  auto found = std::ranges::upper_bound(sequences_, address, {},
                                        [](const Sequence& s) { return s.range.end; });
  return static_cast<u32>(found - sequences_.begin());
}

// The last row at or before the offset, or the first.
u32 LineTable::row_at(const Sequence& sequence, u64 offset, u32 last) const {
  constexpr u32 near = 8;
  if (last >= sequence.first && last < sequence.end && rows_[last].offset <= offset)
    for (u32 row = last; row < last + near; ++row)
      if (row + 1 == sequence.end || offset < rows_[row + 1].offset) return row;
  auto found = std::upper_bound(rows_.begin() + sequence.first + 1, rows_.begin() + sequence.end,
                                offset, [](u64 o, const Row& r) { return o < r.offset; });
  return static_cast<u32>(found - rows_.begin()) - 1;
}

// The first sequence that ends behind the address decides, as in LLVM, even if it begins behind it
// too and a later one holds it.
LineTable::Part LineTable::find(u64 address, LinePlace& last) const {
  last.sequence = sequence_behind(address, last.sequence);
  u64 from = last.sequence == 0 ? 0 : sequences_[last.sequence - 1].range.end;
  if (last.sequence == sequences_.size()) return {{from, ~u64{0}}, nullptr};
  const auto& sequence = sequences_[last.sequence];
  if (address < sequence.range.begin) return {{from, sequence.range.begin}, nullptr};
  last.row = row_at(sequence, address - sequence.range.begin, last.row);
  u64 until = sequence.range.end;
  if (last.row + 1 < sequence.end)
    until = std::min(until, sequence.range.begin + rows_[last.row + 1].offset);
  const Row& row = rows_[last.row];
  return {{std::max(from, sequence.range.begin + row.offset), until}, &row};
}

std::string LineTable::file_name(u64 index, std::string_view comp_dir) const {
  if (!has_file(index)) return {};
  const FileEntry& file = files_[version_ >= 5 ? index : index - 1];
  std::string path(file.name);
  auto put_before = [&](std::string_view directory) {
    if (path.starts_with('/') || directory.empty()) return;
    path = fmt::format("{}{}{}", directory, directory.ends_with('/') ? "" : "/", path);
  };
  u64 place = version_ >= 5 ? file.directory : file.directory - 1;
  if (place < directories_.size()) put_before(directories_[place]);
  if (version_ < 5 || file.directory != 0) put_before(comp_dir);
  return path;
}

}  // namespace pgokit::dwarf
