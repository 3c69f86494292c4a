#pragma once

// One raw profile, as the runtime of an instrumented program writes it; a file may have several, one
// after the other (-fprofile-generate with shared libraries, or files that were concatenated).
//
//   auto part = TRY(RawPart::parse(file, 0));
//   for (size_t i = 0; i < part.size(); ++i) {
//     auto record = part.record(i);
//     OrderedBytes counters = TRY(part.counters_of(record, i));
//   }
//
// Layouts are drawn in docs/formats/instrumentation-profile.md. Versions 7 to 10 are read, those of
// LLVM 13 to 22, of either byte order and pointer size.
// Source of truth: llvm/include/llvm/ProfileData/InstrProfData.inc, of these versions, and
// compiler-rt/lib/profile/InstrProfilingWriter.c.

#include <array>
#include <optional>

#include "base/result.h"
#include "instr_profile/model/correlation.h"
#include "instr_profile/model/ordered_bytes.h"
#include "instr_profile/model/record.h"

namespace pgokit::instr_profile {

inline constexpr u32 newest_raw_version = 10;

bool is_raw(Bytes bytes);

struct RawRecord {
  u64 name_hash, hash;
  u64 counters_at, bitmap_at, function_address;
  u32 counters, bitmap_bytes;
  std::array<u16, value_kinds> sites;

  bool has_values() const { return sites[0] || sites[1] || sites[2]; }
};

struct RawVtable {
  u64 name_hash, address;
  u32 size;
};

class RawPart {
 public:
  // Fails where the sections that the header promises are not in the file.
  // `correlation`: of a program whose functions are not in the file.
  static Result<RawPart> parse(Bytes file, size_t at, const Correlation* correlation = nullptr);

  u64 version_and_kind() const { return version_; }
  u32 version() const { return static_cast<u32>(version_); }
  bool big_endian() const { return big_endian_; }
  size_t pointer_size() const { return pointer_size_; }
  // Of a counter in the file.
  size_t counter_size() const { return counter_size_; }

  size_t size() const {
    return correlation_ ? correlation_->functions.size() : records_.size() / record_size_;
  }
  size_t record_size() const { return record_size_; }
  RawRecord record(size_t i) const;
  size_t vtable_count() const { return vtable_size_ ? vtables_.size() / vtable_size_ : 0; }
  RawVtable vtable(size_t i) const;

  // Of the record, which is the i-th.
  Result<OrderedBytes> counters_of(const RawRecord& record, size_t i) const;
  Result<Bytes> bitmap_of(const RawRecord& record, size_t i) const;

  Bytes records() const { return records_; }
  Bytes counters() const { return counters_; }
  Bytes bitmap() const { return bitmap_; }
  Bytes names() const { return names_; }
  Bytes vtable_names() const { return vtable_names_; }
  Bytes binary_ids() const { return binary_ids_; }
  // Where in the file the values of its functions begin, and end: of records with sites only, one
  // after the other, each as model/value_data.h has it.
  size_t values_begin() const { return values_begin_; }
  // Where the part begins in the file.
  size_t begin() const { return begin_; }
  // Whether both are of one build of a program, and then how much higher the addresses of this
  // process are. Records are the same but for the addresses of the function and of its values.
  std::optional<u64> slide_from(const RawPart& other) const;

 private:
  struct Offsets {
    size_t bitmap_at, function, values, counters, sites, bitmap_bytes;
    size_t kinds;
  };
  u64 pointer(const OrderedBytes& record, size_t at) const;
  u64 relative(u64 at, u64 delta, size_t i) const;
  void choose_layout();

  size_t begin_ = 0, values_begin_ = 0;
  u64 version_ = 0, counters_delta_ = 0, bitmap_delta_ = 0;
  bool big_endian_ = false;
  size_t pointer_size_ = 8, counter_size_ = 8, record_size_ = 0, vtable_size_ = 0;
  Offsets offsets_{};
  const Correlation* correlation_ = nullptr;
  Bytes binary_ids_, records_, counters_, bitmap_, names_, vtables_, vtable_names_;
};

// Where the next part begins behind `at`, after zeros; the end of the file: there is none.
Result<size_t> next_part(Bytes file, size_t at, const RawPart& before);

}  // namespace pgokit::instr_profile
