#include "perf/records.h"

namespace pgokit::perf {

bool RecordWalk::take_payload(Record& record) const {
  Cursor in(record.body);
  u64 size;
  if (record.type == RecordType::auxtrace) {
    size = in.get<u64>();
  } else {
    size = (u64(in.get<u32>()) + 7) / 8 * 8;
    // simpleperf keeps the data inside the record.
    if (size <= (in.left() + 7) / 8 * 8) size = 0;
  }
  if (!in.ok()) return true;
  u64 at = record.offset + sizeof(RecordHeader) + record.body.size();
  if (size > bytes_.size() - at) return false;
  record.payload = bytes_.subspan(at, size);
  return true;
}

void ReadCounts::add(const ReadCounts& other) {
  truncated_samples += other.truncated_samples;
  truncated_records += other.truncated_records;
  unknown_events += other.unknown_events;
  unpack_failures += other.unpack_failures;
}

void TypeCounts::add(const TypeCounts& other) {
  for (u32 i = 0; i < types; ++i) known_[i] += other.known_[i];
  simpleperf_ += other.simpleperf_;
  others_ += other.others_;
}

u64 TypeCounts::unknown() const {
  u64 sum = others_;
  for (u32 i = 0; i < types; ++i)
    if (record_type_name(static_cast<RecordType>(i)).empty()) sum += known_[i];
  return sum;
}

u64 TypeCounts::total() const {
  u64 sum = simpleperf_ + others_;
  for (u64 count : known_) sum += count;
  return sum;
}

}  // namespace pgokit::perf
