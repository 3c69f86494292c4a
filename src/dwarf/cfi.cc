#include "dwarf/cfi.h"

#include <algorithm>
#include <vector>

#include "base/cursor.h"
#include "dwarf/eh_pointer.h"

namespace pgokit::dwarf {
namespace {

struct Pair {
  Le<i32> pc, entry;
};

// What entries have in common.
struct Common {
  u64 code_factor = 1;
  i64 data_factor = 1;
  u8 pointer_encoding = eh_absolute;
  u8 exceptions_encoding = eh_omitted;
  bool augmented = false;
  bool signal_frame = false;
  Bytes instructions;
};

void read_augmentation(Cursor& in, std::string_view letters, Common& common) {
  if (!letters.starts_with('z')) return;
  common.augmented = true;
  Cursor data(in.bytes(in.uleb128()));
  for (char letter : letters.substr(1)) {
    if (letter == 'R') common.pointer_encoding = data.get<u8>();
    if (letter == 'L') common.exceptions_encoding = data.get<u8>();
    if (letter == 'S') common.signal_frame = true;
    if (letter == 'P') {
      u8 encoding = data.get<u8>();
      read_eh_pointer(data, encoding, 0);
    }
  }
}

// "zR", "zPLR" and the like. A longer one is damage, and would be read again for each entry.
std::string_view read_letters(Cursor& in) {
  constexpr size_t most = 16;
  Bytes rest = in.rest();
  Cursor limited(rest.first(std::min(rest.size(), most)));
  auto letters = limited.cstring();
  in.skip(limited.ok() ? letters.size() + 1 : u64(-1));
  return letters;
}

bool read_common(Bytes frames, u64 at, Common& common) {
  if (at > frames.size()) return false;
  Cursor outer(frames.subspan(at));
  Cursor in(outer.bytes(outer.get<u32>()));
  if (in.get<u32>() != 0) return false;
  u8 version = in.get<u8>();
  auto letters = read_letters(in);
  common.code_factor = in.uleb128();
  common.data_factor = in.sleb128();
  if (version == 1)
    in.skip(1);
  else
    in.uleb128();
  read_augmentation(in, letters, common);
  common.instructions = in.rest();
  return in.ok();
}

// Of an entry, behind the size of its code; 0: it has none.
u64 read_exceptions(Cursor& body, const Common& common, u64 body_address) {
  if (!common.augmented || common.exceptions_encoding == eh_omitted) return 0;
  body.uleb128();
  Cursor again = body;
  if (read_eh_pointer(again, common.exceptions_encoding & 0x0f, 0) == 0) return 0;
  return read_eh_pointer(body, common.exceptions_encoding, body_address + body.position());
}

// Tells `each` the place of every entry, and its code.
template <class Each>
void for_each_entry(Bytes frames, u64 frames_address, const Each& each) {
  Common common;
  u64 common_at = u64(-1);
  Cursor in(frames);
  while (in.ok() && !in.at_end()) {
    u64 at = in.position();
    Cursor body(in.bytes(in.get<u32>()));
    u64 back = body.get<u32>();
    if (!in.ok() || !body.ok() || back == 0 || back > at + 4) continue;
    if (at + 4 - back != common_at) {
      common_at = at + 4 - back;
      common = {};
      if (!read_common(frames, common_at, common)) common_at = u64(-1);
    }
    if (common_at == u64(-1)) continue;
    u64 begin = read_eh_pointer(body, common.pointer_encoding, frames_address + at + 8);
    u64 size = read_eh_pointer(body, common.pointer_encoding & 0x0f, 0);
    if (!body.ok()) continue;
    u64 exceptions = read_exceptions(body, common, frames_address + at + 4);
    each(at, FrameRange{begin, size, body.ok() ? exceptions : 0});
  }
}

// Runs call frame instructions up to an address.
class Program {
 public:
  Program(const Common& common, u64 begin, u64 until)
      : common_(common), at_(begin), until_(until) {}

  bool run(Bytes instructions, bool initial) {
    Cursor in(instructions);
    while (ok_ && in.ok() && !in.at_end() && at_ <= until_) step(in);
    if (initial) initial_ = row_;
    return ok_ && in.ok();
  }
  const CfiRow& row() const { return row_; }

 private:
  void step(Cursor& in) {
    u8 code = in.get<u8>();
    u8 low = code & 0x3f;
    switch (code >> 6) {
      case 1:
        return advance(low);
      case 2:
        return save(low, static_cast<i64>(in.uleb128()) * common_.data_factor);
      case 3:
        return restore(low);
      default:
        return step_extended(low, in);
    }
  }

  void step_extended(u8 code, Cursor& in) {
    switch (code) {
      case 0x00:  // nop
        return;
      case 0x02:
        return advance(in.get<u8>());
      case 0x03:
        return advance(in.get<u16>());
      case 0x04:
        return advance(in.get<u32>());
      case 0x0a:
        if (kept_.size() < most_kept) kept_.push_back(row_);
        return;
      case 0x0b:
        if (kept_.empty()) return void(ok_ = false);
        row_ = kept_.back();
        return kept_.pop_back();
      case 0x0c: {  // def_cfa
        u64 number = in.uleb128();
        return define(number, static_cast<i64>(in.uleb128()));
      }
      case 0x0d:  // def_cfa_register
        return define(in.uleb128(), row_.cfa_offset);
      case 0x0e:  // def_cfa_offset
        return define(row_.cfa_register, static_cast<i64>(in.uleb128()));
      case 0x0f:
        return linkage(in.bytes(in.uleb128()));
      case 0x12: {  // def_cfa_sf
        u64 number = in.uleb128();
        return define(number, in.sleb128() * common_.data_factor);
      }
      case 0x13:  // def_cfa_offset_sf
        return define(row_.cfa_register, in.sleb128() * common_.data_factor);
      case 0x2e:  // GNU_args_size
        in.uleb128();
        return;
      default:
        return step_register(code, in);
    }
  }

  void step_register(u8 code, Cursor& in) {
    u64 number = in.uleb128();
    switch (code) {
      case 0x05:  // offset_extended
        return save(number, static_cast<i64>(in.uleb128()) * common_.data_factor);
      case 0x11:  // offset_extended_sf
        return save(number, in.sleb128() * common_.data_factor);
      case 0x06:
        return restore(number);
      case 0x08:  // same_value
        if (number < CfiRow::registers)
          row_.saved_set &= ~(1U << number), row_.lost_set &= ~(1U << number);
        return;
      case 0x07:  // undefined
        return lose(number);
      case 0x10:  // expression
      case 0x16:  // val_expression
        in.skip(in.uleb128());
        return lose(number);
      case 0x09:  // register
      case 0x14:  // val_offset
        in.uleb128();
        return lose(number);
      default:
        ok_ = false;
    }
  }

  void advance(u64 units) { at_ += units * common_.code_factor; }

  void define(u64 number, i64 offset) {
    if (number >= CfiRow::return_address) return void(ok_ = false);
    row_.cfa_register = static_cast<u8>(number);
    row_.cfa_offset = offset;
    row_.linkage_threshold = 0;
  }

  // The one expression that linkers write: rsp + 8 + ((rip & 15) >= n) * 8.
  void linkage(Bytes expression) {
    constexpr u8 form[] = {0x77, 0x08, 0x80, 0x00, 0x3f, 0x1a, 0x00, 0x2a, 0x33, 0x24, 0x22};
    bool same = expression.size() == sizeof form;
    for (size_t i = 0; same && i < sizeof form; ++i) same = i == 6 || expression[i] == form[i];
    if (!same || expression[6] < 0x31 || expression[6] > 0x3f) return void(ok_ = false);
    define(CfiRow::rsp, 8);
    row_.linkage_threshold = expression[6] - 0x30;
  }

  void save(u64 number, i64 offset) {
    if (number >= CfiRow::registers) return;
    row_.offset[number] = static_cast<i32>(offset);
    row_.saved_set |= 1U << number;
    row_.lost_set &= ~(1U << number);
  }

  void lose(u64 number) {
    if (number >= CfiRow::registers) return;
    row_.saved_set &= ~(1U << number);
    row_.lost_set |= 1U << number;
  }

  void restore(u64 number) {
    if (number >= CfiRow::registers) return;
    u32 bit = 1U << number;
    row_.offset[number] = initial_.offset[number];
    row_.saved_set = (row_.saved_set & ~bit) | (initial_.saved_set & bit);
    row_.lost_set = (row_.lost_set & ~bit) | (initial_.lost_set & bit);
  }

  static constexpr size_t most_kept = 64;

  const Common& common_;
  u64 at_, until_;
  CfiRow row_, initial_;
  std::vector<CfiRow> kept_;
  bool ok_ = true;
};

}  // namespace

bool CfiTable::use_header(const object::File& file) {
  const auto* header = file.section(".eh_frame_hdr");
  if (!header) return false;
  Cursor in(header->contents);
  bool usual = in.get<u8>() == 1 && in.get<u8>() == (eh_relative_to_pc | eh_signed4) &&
               in.get<u8>() == eh_unsigned4 &&
               in.get<u8>() == (eh_relative_to_section | eh_signed4);
  in.skip(4);
  auto pairs = in.array<Pair>(in.get<u32>());
  if (!usual || !in.ok()) return false;
  search_ = {reinterpret_cast<const u8*>(pairs.data()), pairs.size_bytes()};
  search_address_ = header->address;
  return true;
}

void CfiTable::list_entries() {
  for_each_entry(frames_, frames_address_,
                 [&](u64 at, const FrameRange& code) { listed_.push_back({code.begin, at}); });
  std::ranges::sort(listed_, {}, &Place::address);
}

std::vector<FrameRange> frame_ranges(const object::File& file) {
  std::vector<FrameRange> ranges;
  if (const auto* frames = file.section(".eh_frame"))
    for_each_entry(frames->contents, frames->address,
                   [&](u64, const FrameRange& code) { ranges.push_back(code); });
  std::ranges::stable_sort(ranges, {}, &FrameRange::begin);
  return ranges;
}

std::optional<CfiTable> CfiTable::find(const object::File& file) {
  const auto* frames = file.section(".eh_frame");
  if (!frames) return std::nullopt;
  CfiTable table;
  table.frames_ = frames->contents;
  table.frames_address_ = frames->address;
  if (!table.use_header(file)) table.list_entries();
  return table;
}

// The entry with the greatest beginning that is not behind `address`.
std::optional<u64> CfiTable::entry_of(u64 address) const {
  if (search_.empty()) {
    auto it = std::ranges::upper_bound(listed_, address, {}, &Place::address);
    if (it == listed_.begin()) return std::nullopt;
    return (it - 1)->entry;
  }
  std::span pairs(reinterpret_cast<const Pair*>(search_.data()), search_.size() / sizeof(Pair));
  auto wanted = static_cast<i64>(address - search_address_);
  auto it = std::ranges::upper_bound(pairs, wanted, {},
                                     [](const Pair& pair) { return i64(i32(pair.pc)); });
  if (it == pairs.begin()) return std::nullopt;
  return search_address_ + static_cast<u64>(i64(i32((it - 1)->entry))) - frames_address_;
}

std::optional<CfiRow> CfiTable::row_at(u64 address) const {
  auto found = entry_of(address);
  if (!found || *found >= frames_.size()) return std::nullopt;
  u64 offset = *found;

  Cursor outer(frames_.subspan(offset));
  Bytes body = outer.bytes(outer.get<u32>());
  Cursor in(body);
  u64 back = in.get<u32>();
  Common common;
  if (!in.ok() || back == 0 || back > offset + 4 ||
      !read_common(frames_, offset + 4 - back, common))
    return std::nullopt;
  u64 begin = read_eh_pointer(in, common.pointer_encoding, frames_address_ + offset + 8);
  u64 range = read_eh_pointer(in, common.pointer_encoding & 0x0f, 0);
  if (common.augmented) in.skip(in.uleb128());
  if (!in.ok() || address < begin || address - begin >= range) return std::nullopt;
  Program program(common, begin, address);
  if (!program.run(common.instructions, true) || !program.run(in.rest(), false))
    return std::nullopt;
  CfiRow row = program.row();
  row.signal_frame = common.signal_frame;
  return row;
}

}  // namespace pgokit::dwarf
