#include "instr_profile/indexed/read_indexed.h"

#include <algorithm>

#include "base/cursor.h"
#include "instr_profile/indexed/layout.h"
#include "instr_profile/model/binary_ids.h"
#include "instr_profile/model/name_strings.h"
#include "instr_profile/model/value_data.h"

namespace pgokit::instr_profile {
namespace {

class Reader {
 public:
  Reader(Bytes file, Facts& facts) : file_(file), facts_(facts) {}

  Status read(const TakeRecord& take) {
    TRY(read_header());
    TRY(skip_summaries());
    TRY(read_binary_id_section());
    TRY(read_vtable_names());
    u64 entries = TRY(number_of_entries());
    TRY(read_memory_section(entries));
    if (facts_.wants_names)
      TRY(each_entry(entries, [&](std::string_view name, Bytes, size_t) -> Status {
        facts_.names.add(name);
        return {};
      }));
    TRY(each_entry(entries, [&](std::string_view name, Bytes data, size_t offset) {
      return read_functions(name, data, offset, take);
    }));
    return read_traces();
  }

 private:
  u64 field(size_t at) const {
    Cursor in(file_);
    in.skip(at);
    return in.get<u64>();
  }

  Status read_header() {
    if (file_.size() < header::size(4)) return fail("{} ({} bytes)", problem::header, file_.size());
    facts_.kind = field(header::version) & Kind::of_version;
    version_ = static_cast<u32>(field(header::version));
    facts_.version = version_;
    if (version_ < oldest_indexed_version || version_ > newest_indexed_version)
      return fail("{}: {}, known are {} to {}", problem::version, version_, oldest_indexed_version,
                  newest_indexed_version);
    if (file_.size() < header::size(version_))
      return fail("{} ({} bytes)", problem::header, file_.size());
    if (field(header::hash_type) != 0)
      return fail("{}: {} (offset {:#x})", problem::hash_type, field(header::hash_type),
                  header::hash_type);
    payload_ = header::size(version_);
    return {};
  }

  // It ends where the next section begins, or with the file.
  Status read_memory_section(u64 functions) {
    if (!(facts_.kind & Kind::memory)) return {};
    Bytes bytes = TRY(section(version_with_memory, header::memory, "memory profile"));
    if (bytes.empty()) return facts_.kind &= ~Kind::memory, Status();
    u64 begin = field(header::memory);
    if (version_ >= version_with_binary_ids && field(header::binary_ids) > begin)
      bytes = bytes.first(std::min<u64>(bytes.size(), field(header::binary_ids) - begin));
    facts_.memory = TRY(read_memory(bytes, begin));
    facts_.only_memory = functions == 0;
    return {};
  }

  // They follow from the counters.
  Status skip_summaries() {
    constexpr size_t entry_size = 24;
    for (int i = 0; i < (facts_.kind & Kind::context_sensitive ? 2 : 1); ++i) {
      Cursor in(file_.subspan(payload_));
      u64 fields = in.get<u64>(), entries = in.get<u64>();
      if (!in.ok() || fields > in.left() / 8 || entries > (in.left() - 8 * fields) / entry_size)
        return fail("{} (offset {:#x}: summary of {} fields and {} cutoffs)", problem::header,
                    payload_, fields, entries);
      payload_ += 16 + 8 * fields + entry_size * entries;
    }
    return {};
  }

  // From there to the end of the file; empty where there is no such section.
  Result<Bytes> section(u32 since, size_t field_at, std::string_view what) const {
    if (version_ < since || field(field_at) == 0) return Bytes{};
    u64 offset = field(field_at);
    if (offset >= file_.size())
      return fail("{} (offset {:#x}: {} at {:#x}, past the file)", problem::header, field_at, what,
                  offset);
    return file_.subspan(offset);
  }

  // The bytes of a section that begins with their number.
  Result<Bytes> sized_section(u32 since, size_t field_at, std::string_view what) const {
    Bytes bytes = TRY(section(since, field_at, what));
    if (bytes.empty()) return bytes;
    Cursor in(bytes);
    u64 size = in.get<u64>();
    Bytes content = in.bytes(size);
    if (!in.ok())
      return fail("{} ({} at {:#x}: {} bytes end past the file)", problem::header, what,
                  field(field_at), size);
    return content;
  }

  Status read_binary_id_section() {
    Bytes ids = TRY(sized_section(version_with_binary_ids, header::binary_ids, "binary ids"));
    return read_binary_ids(ids, false, facts_.binary_ids);
  }

  Status read_vtable_names() {
    Bytes names =
        TRY(sized_section(version_with_vtables, header::vtable_names, "names of virtual tables"));
    return each_name(names, (u64{1} << 20) + 8 * u64{file_.size()}, facts_.texts,
                     [&](std::string_view name) {
                       if (facts_.wants_names && !name.empty()) facts_.names.add(name);
                     });
  }

  Result<u64> number_of_entries() const {
    Bytes table = TRY(section(0, header::table, "hash table"));
    if (table.size() < 16 || field(header::table) < payload_)
      return fail("{} (offset {:#x}: hash table at {:#x})", problem::header, header::table,
                  field(header::table));
    Cursor in(table);
    u64 buckets = in.get<u64>(), entries = in.get<u64>();
    if (buckets > in.left() / 8)
      return fail("{} (hash table at {:#x}: {} buckets end past the file)", problem::header,
                  field(header::table), buckets);
    return entries;
  }

  // Buckets are u16 number of entries, then these: u64 hash of the name, u64 size of the name, u64
  // size of its functions, both. visit(name, functions, offset of these)
  template <class Visit>
  Status each_entry(u64 entries, Visit visit) const {
    constexpr size_t head_size = 24;
    auto payload = file_.subspan(payload_, field(header::table) - payload_);
    Cursor in(payload);
    u32 left = 0;
    for (u64 i = 0; i < entries; ++i) {
      size_t begin = payload_ + in.position();
      while (left == 0 && in.left() >= 2) left = in.get<u16>();
      if (left == 0 || in.left() < head_size)
        return fail("{} (offset {:#x}: entry {} of {})", problem::truncated, begin, i, entries);
      --left;
      in.skip(8);
      u64 name_size = in.get<u64>(), size = in.get<u64>();
      Bytes name = in.bytes(name_size);
      size_t offset = payload_ + in.position();
      Bytes data = in.bytes(size);
      if (!in.ok())
        return fail(
            "{}: a name of {} bytes and its functions of {} end past the payload (offset "
            "{:#x})",
            problem::malformed, name_size, size, begin);
      TRY(visit(as_text(name), data, offset));
    }
    return {};
  }

  Status read_functions(std::string_view name, Bytes data, size_t offset, const TakeRecord& take) {
    Cursor in(data);
    if (data.empty())
      return fail("{}: '{}' is empty (offset {:#x})", problem::malformed, name, offset);
    while (!in.at_end()) {
      size_t begin = offset + in.position();
      Record record{.name = name, .hash = in.get<u64>()};
      read_numbers(in, in.get<u64>(), counters_);
      bitmap_.clear();
      if (version_ >= version_with_bitmaps) read_bytes(in, in.get<u64>());
      if (!in.ok())
        return fail("{}: the counters of '{}' end past its data (offset {:#x})", problem::malformed,
                    name, begin);
      auto size = decode_values(in.rest(), false, values_);
      if (!size)
        return fail("{}, of '{}' (offset {:#x})", size.error().message, name,
                    offset + in.position());
      in.skip(*size);
      record.counters = counters_;
      record.bitmap = bitmap_;
      if (!values_.empty()) record.values = &values_;
      TRY(take(record));
    }
    return {};
  }

  static void read_numbers(Cursor& in, u64 count, std::vector<u64>& numbers) {
    auto read = in.array<Le<u64>>(count);
    numbers.assign(read.begin(), read.end());
  }
  // Each has eight bytes in the file.
  void read_bytes(Cursor& in, u64 count) {
    for (u64 byte : in.array<Le<u64>>(count)) bitmap_.push_back(static_cast<u8>(byte));
  }

  Status read_traces() {
    if (!(facts_.kind & Kind::temporal)) return {};
    Bytes bytes = TRY(section(version_with_traces, header::traces, "traces"));
    if (bytes.empty()) return {};
    Cursor in(bytes);
    u64 traces = in.get<u64>();
    facts_.traces_seen = in.get<u64>();
    if (!in.ok())
      return fail("{}: traces at offset {:#x}", problem::truncated, field(header::traces));
    for (u64 i = 0; i < traces; ++i) {
      Trace trace{.weight = in.get<u64>(), .functions = {}};
      read_numbers(in, in.get<u64>(), trace.functions);
      if (!in.ok())
        return fail("{}: trace {} of {} ends past the file (traces at offset {:#x})",
                    problem::truncated, i, traces, field(header::traces));
      facts_.traces.push_back(std::move(trace));
    }
    return {};
  }

  Bytes file_;
  Facts& facts_;
  u32 version_ = 0;
  size_t payload_ = 0;
  std::vector<u64> counters_;
  std::vector<u8> bitmap_;
  SiteValues values_;
};

}  // namespace

bool is_indexed(Bytes bytes) { return as_text(bytes).starts_with(indexed_magic); }

Status read_indexed(Bytes bytes, Facts& facts, const TakeRecord& take) {
  return Reader(bytes, facts).read(take);
}

}  // namespace pgokit::instr_profile
