#include "instr_profile/raw/raw_part.h"

#include <algorithm>
#include <optional>

#include "base/cursor.h"
#include "instr_profile/model/facts.h"

namespace pgokit::instr_profile {
namespace {

// The letter is that of 64 or 32 bits; read as a number of the machine's order.
constexpr u64 magic_of(char letter) {
  u64 magic = 0;
  for (char c : {'\xff', 'l', 'p', 'r', 'o', 'f', letter, '\x81'})
    magic = magic << 8 | static_cast<u8>(c);
  return magic;
}
constexpr u64 magic_64 = magic_of('r'), magic_32 = magic_of('R');

struct Order {
  bool big_endian;
  size_t pointer_size;
};

std::optional<Order> order_of(Bytes bytes) {
  if (bytes.size() < 8) return std::nullopt;
  for (bool big : {false, true}) {
    u64 magic = OrderedBytes{bytes, big}.at<u64>(0);
    if (magic == magic_64) return Order{big, 8};
    if (magic == magic_32) return Order{big, 4};
  }
  return std::nullopt;
}

size_t padding(size_t size) { return 7 & (8 - size % 8); }
size_t rounded(size_t size) { return size + padding(size); }

// The header's numbers one after the other.
class Fields {
 public:
  Fields(OrderedBytes in, size_t at) : in_(in), at_(at) {}
  u64 next() {
    at_ += 8;
    return in_.at<u64>(at_ - 8);
  }

 private:
  OrderedBytes in_;
  size_t at_;
};

constexpr size_t header_fields(u32 version) { return version >= 10 ? 16 : version == 9 ? 14 : 11; }

bool is_same(Bytes a, Bytes b) { return as_text(a) == as_text(b); }

// Sections one after the other; the first that is not in the file fails them all.
class Sections {
 public:
  Sections(Bytes file, size_t at) : file_(file), at_(at) {}

  Bytes take(u64 size) {
    if (!ok_ || size > file_.size() - at_) return ok_ = false, Bytes{};
    at_ += size;
    return file_.subspan(at_ - size, size);
  }
  Bytes take(u64 count, size_t size_of_one) {
    if (count > file_.size() / size_of_one) return ok_ = false, Bytes{};
    return take(count * size_of_one);
  }
  bool ok() const { return ok_; }
  size_t at() const { return at_; }

 private:
  Bytes file_;
  size_t at_;
  bool ok_ = true;
};

}  // namespace

bool is_raw(Bytes bytes) { return order_of(bytes).has_value(); }

void RawPart::choose_layout() {
  size_t p = pointer_size_;
  bool bitmaps = version() >= 9;
  offsets_.kinds = version() >= 10 ? 3 : 2;
  offsets_.bitmap_at = bitmaps ? 16 + p : 0;
  offsets_.function = 16 + p + (bitmaps ? p : 0);
  offsets_.values = offsets_.function + p;
  offsets_.counters = offsets_.values + p;
  offsets_.sites = offsets_.counters + 4;
  size_t end = offsets_.sites + 2 * offsets_.kinds;
  if (bitmaps) {
    offsets_.bitmap_bytes = (end + 3) & ~size_t{3};
    end = offsets_.bitmap_bytes + 4;
  }
  record_size_ = rounded(end);
  vtable_size_ = version() >= 10 ? rounded(8 + p + 4) : 0;
}

Result<RawPart> RawPart::parse(Bytes file, size_t at, const Correlation* correlation) {
  Bytes rest = file.subspan(std::min(at, file.size()));
  auto order = order_of(rest);
  if (!order) return fail("{} (offset {:#x})", problem::magic, at);
  if (rest.size() < 16) return fail("{} (offset {:#x}: cut short)", problem::header, at);
  RawPart part;
  part.begin_ = at;
  part.big_endian_ = order->big_endian;
  part.pointer_size_ = order->pointer_size;
  OrderedBytes in{rest, order->big_endian};
  part.version_ = in.at<u64>(8);
  u32 version = part.version();
  if (version < 7 || version > newest_raw_version)
    return fail(
        "raw profile version mismatch: this one has version {}, known are 7 to {} (LLVM 13 "
        "to 22); give the .profdata that its own llvm-profdata makes of it",
        version, newest_raw_version);
  part.choose_layout();
  size_t header_size = 8 * header_fields(version);
  if (rest.size() < header_size) return fail("{} (offset {:#x}: cut short)", problem::header, at);
  if (part.version_ & Kind::byte_coverage) part.counter_size_ = 1;

  Fields fields(in, 16);
  u64 binary_ids = fields.next(), records = fields.next(), before_counters = fields.next(),
      counters = fields.next(), after_counters = fields.next(), bitmap = 0, after_bitmap = 0;
  if (version >= 9) bitmap = fields.next(), after_bitmap = fields.next();
  u64 names = fields.next();
  part.counters_delta_ = fields.next();
  if (version >= 9) part.bitmap_delta_ = fields.next();
  u64 names_address = fields.next();
  u64 vtables = 0, vtable_names = 0;
  if (version >= 10) vtables = fields.next(), vtable_names = fields.next();

  if (binary_ids % 8 != 0)
    return fail("{} (offset {:#x}: {} bytes of binary ids)", problem::header, at, binary_ids);
  Sections sections(rest, header_size);
  part.binary_ids_ = sections.take(binary_ids);
  part.records_ = sections.take(records, part.record_size_);
  sections.take(before_counters);
  part.counters_ = sections.take(counters, part.counter_size_);
  sections.take(after_counters);
  part.bitmap_ = sections.take(bitmap);
  sections.take(after_bitmap);
  part.names_ = sections.take(names);
  sections.take(padding(names));
  if (version >= 10) {
    part.vtables_ = sections.take(vtables, part.vtable_size_);
    sections.take(padding(part.vtables_.size()));
    part.vtable_names_ = sections.take(vtable_names);
    sections.take(padding(vtable_names));
  }
  if (!sections.ok())
    return fail("{} (offset {:#x}: {} functions with {} counters end past the file)",
                problem::header, at, records, counters);
  part.values_begin_ = at + sections.at();
  if (correlation && (records || names || part.counters_delta_ || names_address))
    return fail("debug info/binary for correlation is not necessary");
  part.correlation_ = correlation;
  return part;
}

u64 RawPart::pointer(const OrderedBytes& record, size_t at) const {
  return pointer_size_ == 8 ? record.at<u64>(at) : record.at<u32>(at);
}

RawRecord RawPart::record(size_t i) const {
  if (correlation_) {
    const auto& function = correlation_->functions[i];
    return {.name_hash = function.name_hash,
            .hash = function.hash,
            .counters_at = function.counters_at,
            .bitmap_at = 0,
            .function_address = 0,
            .counters = function.counters,
            .bitmap_bytes = 0,
            .sites = {}};
  }
  OrderedBytes in{records_.subspan(i * record_size_, record_size_), big_endian_};
  RawRecord record{.name_hash = in.at<u64>(0),
                   .hash = in.at<u64>(8),
                   .counters_at = pointer(in, 16),
                   .bitmap_at = offsets_.bitmap_at ? pointer(in, offsets_.bitmap_at) : 0,
                   .function_address = pointer(in, offsets_.function),
                   .counters = in.at<u32>(offsets_.counters),
                   .bitmap_bytes = offsets_.bitmap_bytes ? in.at<u32>(offsets_.bitmap_bytes) : 0,
                   .sites = {}};
  for (size_t kind = 0; kind < offsets_.kinds; ++kind)
    record.sites[kind] = in.at<u16>(offsets_.sites + 2 * kind);
  return record;
}

RawVtable RawPart::vtable(size_t i) const {
  OrderedBytes in{vtables_.subspan(i * vtable_size_, vtable_size_), big_endian_};
  return {in.at<u64>(0), pointer(in, 8), in.at<u32>(8 + pointer_size_)};
}

// A record says where its counters are by their distance from itself, up to version 7 by their
// address. Pointers of 32 bits wrap.
u64 RawPart::relative(u64 at, u64 delta, size_t i) const {
  if (correlation_) return at;
  u64 distance = at - delta + (version() >= 8 ? i * record_size_ : 0);
  return pointer_size_ == 8 ? distance : static_cast<u32>(distance);
}

Result<OrderedBytes> RawPart::counters_of(const RawRecord& record, size_t i) const {
  u64 at = relative(record.counters_at, counters_delta_, i);
  if (record.counters == 0)
    return fail("{}: number of counters is zero, of function {}", problem::malformed, i);
  if (at >= counters_.size() || record.counters > (counters_.size() - at) / counter_size_)
    return fail("{}: {} counters of function {}, which begin at byte {} of {}, are not in the file",
                problem::malformed, record.counters, i, at, counters_.size());
  return OrderedBytes{counters_.subspan(at, record.counters * counter_size_), big_endian_};
}

Result<Bytes> RawPart::bitmap_of(const RawRecord& record, size_t i) const {
  if (record.bitmap_bytes == 0) return Bytes{};
  u64 at = relative(record.bitmap_at, bitmap_delta_, i);
  if (at >= bitmap_.size() || record.bitmap_bytes > bitmap_.size() - at)
    return fail(
        "{}: {} bitmap bytes of function {}, which begin at byte {} of {}, are not in the "
        "file",
        problem::malformed, record.bitmap_bytes, i, at, bitmap_.size());
  return bitmap_.subspan(at, record.bitmap_bytes);
}

std::optional<u64> RawPart::slide_from(const RawPart& other) const {
  // Without a bitmap the distance to it is that to address 0.
  bool same_bitmap = bitmap_.size() == other.bitmap_.size() &&
                     (bitmap_.empty() || bitmap_delta_ == other.bitmap_delta_);
  bool alike = version_ == other.version_ && big_endian_ == other.big_endian_ &&
               pointer_size_ == other.pointer_size_ && counters_delta_ == other.counters_delta_ &&
               same_bitmap && records_.size() == other.records_.size() &&
               counters_.size() == other.counters_.size() && vtables_.empty() &&
               other.vtables_.empty() && is_same(names_, other.names_) &&
               is_same(binary_ids_, other.binary_ids_);
  if (!alike) return std::nullopt;
  std::optional<u64> slide;
  size_t addresses_end = offsets_.values + pointer_size_;
  for (size_t at = 0; at < records_.size(); at += record_size_) {
    const u8 *a = records_.data() + at, *b = other.records_.data() + at;
    if (std::memcmp(a, b, offsets_.function) != 0 ||
        std::memcmp(a + addresses_end, b + addresses_end, record_size_ - addresses_end) != 0)
      return std::nullopt;
    u64 here = pointer({{a, record_size_}, big_endian_}, offsets_.function),
        there = pointer({{b, record_size_}, big_endian_}, offsets_.function);
    if ((here == 0) != (there == 0)) return std::nullopt;
    if (here == 0) continue;
    if (!slide) slide = here - there;
    if (here - there != *slide) return std::nullopt;
  }
  return slide.value_or(0);
}

Result<size_t> next_part(Bytes file, size_t at, const RawPart& before) {
  while (at < file.size() && file[at] == 0) ++at;
  if (at == file.size()) return at;
  Bytes rest = file.subspan(at);
  if (rest.size() < 8 * header_fields(before.version()))
    return fail("{}: {} bytes behind the profile are too few for another one (offset {:#x})",
                problem::malformed, rest.size(), at);
  auto order = order_of(rest);
  if (!order || order->big_endian != before.big_endian() ||
      order->pointer_size != before.pointer_size())
    return fail("{}, behind another profile (offset {:#x})", problem::magic, at);
  return at;
}

}  // namespace pgokit::instr_profile
