#pragma once

// Raw dumps: what instrumented programs write. A file is any number of records, each of one module
// of one process at one time.
//
//   instrument::DumpReader reader(file.bytes());
//   while (auto dump = reader.next()) use(dump->header.pid, dump->raw);
//   reader.facts().damaged;
//
// A record whose size or checksum is wrong is skipped: the next magic begins the next one. Views
// point into the file. Source of truth: runtime/mip_dump.h.

#include <optional>
#include <string>
#include <string_view>

#include "base/cursor.h"
#include "base/result.h"
#include "runtime/mip_dump.h"

namespace pgokit::instrument {

struct DumpEdge {
  Le<u64> return_address, callee, samples;
};

struct DumpModule {
  Le<u64> start, end, bias;
  Le<u32> build_id_size, zero;
  u8 build_id[32];
  char name[64];
};

struct DumpTarget {
  Le<u64> site, value, count;
  Le<u32> module, zero;
};

struct DumpMark {
  Le<u64> number;
  Le<u32> sequence, microseconds;
};

struct DumpOrderId {
  Le<u32> module, function;
};

struct DumpOrderCall {
  Le<i32> return_address;
  Le<u32> microseconds;
};

// Entries of a payload; they may be longer than what is known of them.
template <class T>
class Entries {
 public:
  Entries() = default;
  Entries(Bytes bytes, u32 entry_size) : bytes_(bytes), stride_(entry_size) {}
  size_t size() const { return stride_ < sizeof(T) ? 0 : bytes_.size() / stride_; }
  const T& operator[](size_t i) const {
    static_assert(alignof(T) == 1);
    return *reinterpret_cast<const T*>(bytes_.data() + i * stride_);
  }

 private:
  Bytes bytes_;
  size_t stride_ = 0;
};

struct Dump {
  mip_dump header;
  u64 offset = 0;  // in the file
  std::string_view build_id;
  Bytes raw;
  std::string_view path;
  Entries<DumpEdge> edges;
  Entries<DumpModule> modules;
  Entries<DumpMark> marks;
  Entries<DumpTarget> targets;
  Entries<DumpOrderId> order_ids;
  Entries<DumpOrderCall> order_calls;

  bool is_continuous() const { return header.flags & MIP_DUMP_CONTINUOUS; }
};

struct DumpFacts {
  u64 records = 0;           // that can be used
  u64 damaged = 0;           // places where a record was expected and none could be used
  std::string first_damage;  // "offset 0x40: ..."
};

class DumpReader {
 public:
  explicit DumpReader(Bytes file) : file_(file), to_check_(4 * u64{file.size()}) {}
  static bool recognizes(Bytes file);

  std::optional<Dump> next();
  const DumpFacts& facts() const { return facts_; }

 private:
  Result<Dump> read(size_t at);
  Status read_payloads(Bytes record, Dump& dump) const;
  size_t next_magic(size_t at) const;

  Bytes file_;
  size_t at_ = 0;
  u64 to_check_;  // bytes whose checksum may be taken: wrong records may overlap
  DumpFacts facts_;
};

// The checksum that the record should end with.
u32 dump_crc(Bytes record);

}  // namespace pgokit::instrument
