#include "instrument/dump.h"

#include <zlib.h>

#include <cstddef>

namespace pgokit::instrument {
namespace {

static_assert(sizeof(mip_dump) == 168 && sizeof(mip_payload) == 24);
static_assert(sizeof(DumpEdge) == sizeof(mip_edge) && sizeof(DumpModule) == sizeof(mip_module) &&
              sizeof(DumpMark) == sizeof(mip_mark) && sizeof(DumpTarget) == sizeof(mip_target));
static_assert(sizeof(DumpOrderId) == sizeof(mip_order_id) &&
              sizeof(DumpOrderCall) == sizeof(mip_order_call));

}  // namespace

u32 dump_crc(Bytes record) {
  return static_cast<u32>(crc32_z(0, record.data(), record.size() - MIP_DUMP_CRC_SIZE));
}

bool DumpReader::recognizes(Bytes file) {
  return file.size() >= 8 && Cursor(file).get<u64>() == MIP_DUMP_MAGIC;
}

std::optional<Dump> DumpReader::next() {
  while (at_ < file_.size()) {
    auto dump = read(at_);
    if (dump) {
      at_ += dump->header.total_size;
      ++facts_.records;
      return *dump;
    }
    if (facts_.damaged++ == 0)
      facts_.first_damage = fmt::format("offset {:#x}: {}", at_, dump.error().message);
    at_ = next_magic(at_ + 1);
  }
  return std::nullopt;
}

size_t DumpReader::next_magic(size_t at) const {
  const u64 magic = MIP_DUMP_MAGIC;
  if (at >= file_.size()) return file_.size();
  const void* found = memmem(file_.data() + at, file_.size() - at, &magic, sizeof magic);
  return found ? static_cast<size_t>(static_cast<const u8*>(found) - file_.data()) : file_.size();
}

Result<Dump> DumpReader::read(size_t at) {
  Bytes rest = file_.subspan(at);
  Cursor in(rest);
  Dump dump{};
  dump.offset = at;
  auto& header = dump.header;
  auto bytes = in.bytes(sizeof header);
  if (!in.ok()) return fail("the file ends within the header of a record");
  std::memcpy(&header, bytes.data(), sizeof header);
  if (header.magic == __builtin_bswap64(MIP_DUMP_MAGIC))
    return fail("the record is big-endian, which is not supported");
  if (header.magic != MIP_DUMP_MAGIC) return fail("no record begins here");
  if (header.version >> 8 != MIP_DUMP_VERSION >> 8)
    return fail("the record has version {:#x}; this pgokit reads {:#x} to {:#x}", header.version,
                MIP_DUMP_VERSION & 0xff00, MIP_DUMP_VERSION | 0xff);
  if (header.total_size < sizeof header + MIP_DUMP_CRC_SIZE)
    return fail("the record has a size of {} bytes, less than its header", header.total_size);
  if (header.total_size > rest.size())
    return fail("the record is cut short: {} of its {} bytes are there", rest.size(),
                header.total_size);
  Bytes record = rest.first(header.total_size);
  if (!dump.is_continuous()) {
    if (record.size() > to_check_) return fail("too much of the file is damaged");
    to_check_ -= record.size();
    if (dump_crc(record) != Cursor(record.last(MIP_DUMP_CRC_SIZE)).get<u32>())
      return fail("the checksum of the record is wrong");
  }
  TRY(read_payloads(record, dump));
  return dump;
}

Status DumpReader::read_payloads(Bytes record, Dump& dump) const {
  struct Payload {
    Le<u32> kind, entry_size;
    Le<u64> offset, size;
  };
  auto& header = dump.header;
  if (header.build_id_size > sizeof header.build_id)
    return fail("the build id has {} bytes; 32 are the most", header.build_id_size);
  // The header in the file, as the one in `dump` may move.
  dump.build_id = as_text(record.subspan(offsetof(mip_dump, build_id), header.build_id_size));
  Cursor in(record.subspan(sizeof header));
  bool has_raw = false;
  for (const auto& payload : in.array<Payload>(header.payload_count)) {
    if (payload.offset > record.size() || payload.size > record.size() - payload.offset)
      return fail("a payload ends past its record");
    Bytes bytes = record.subspan(payload.offset, payload.size);
    switch (payload.kind) {
      case MIP_PAYLOAD_RAW:
        dump.raw = bytes, has_raw = true;
        break;
      case MIP_PAYLOAD_PATH:
        dump.path = as_text(bytes);
        break;
      case MIP_PAYLOAD_EDGES:
        dump.edges = {bytes, payload.entry_size};
        break;
      case MIP_PAYLOAD_MODULES:
        dump.modules = {bytes, payload.entry_size};
        break;
      case MIP_PAYLOAD_TARGETS:
        dump.targets = {bytes, payload.entry_size};
        break;
      case MIP_PAYLOAD_MARKS:
        dump.marks = {bytes, payload.entry_size};
        break;
      case MIP_PAYLOAD_ORDER_LOG:
        dump.order_ids = {bytes, payload.entry_size};
        break;
      case MIP_PAYLOAD_ORDER_CALLS:
        dump.order_calls = {bytes, payload.entry_size};
        break;
      default:
        break;
    }
  }
  if (!in.ok()) return fail("the table of payloads is larger than the record");
  if (!has_raw) return fail("the record has no counters");
  if (dump.raw.size() != header.raw_size)
    return fail("the record has {} bytes of counters and says {}", dump.raw.size(),
                header.raw_size);
  return {};
}

}  // namespace pgokit::instrument
