#pragma once

// Records as they lie in a recording, and what is in those that pgokit uses.
//
//   RecordWalk walk(bytes);
//   for (Record record; walk.next(record);)
//     if (record.type == RecordType::sample && parser.sample(record, sample, counts)) ...
//
// Everything is a view into the recording. The walk stops where no further record can be read;
// stop() tells why.

#include <string_view>

#include "perf/format.h"

namespace pgokit::perf {

struct Record {
  RecordType type{};
  u16 misc = 0;
  Bytes body;      // behind the header
  Bytes payload;   // AUXTRACE, TRACING_DATA: what follows the record, outside of its size
  u64 offset = 0;  // of the header, within the bytes that are walked
};

enum class Stop : u8 {
  end,       // behind the last record
  cut,       // the last record is longer than what is left
  bad_size,  // a record that claims to be shorter than its header
};

class RecordWalk {
 public:
  explicit RecordWalk(Bytes bytes) : bytes_(bytes) {}

  bool next(Record& record) {
    if (bytes_.size() - at_ < sizeof(RecordHeader)) [[unlikely]]
      return stop_ = at_ == bytes_.size() ? Stop::end : Stop::cut, false;
    const auto& header = *reinterpret_cast<const RecordHeader*>(bytes_.data() + at_);
    u64 size = header.size;
    if (header.type >= static_cast<u32>(RecordType::first_of_simpleperf)) [[unlikely]]
      size |= u64(header.misc) << 16;
    if (size < sizeof(RecordHeader)) [[unlikely]]
      return stop_ = Stop::bad_size, false;
    if (size > bytes_.size() - at_) [[unlikely]]
      return stop_ = Stop::cut, false;
    record.type = static_cast<RecordType>(u32(header.type));
    record.misc = header.misc;
    record.body = bytes_.subspan(at_ + sizeof(RecordHeader), size - sizeof(RecordHeader));
    record.payload = {};
    record.offset = at_;
    if (record.type == RecordType::auxtrace || record.type == RecordType::tracing_data) [[unlikely]]
      if (!take_payload(record)) return stop_ = Stop::cut, false;
    at_ += size + record.payload.size();
    return true;
  }

  u64 position() const { return at_; }  // behind the last record that was read
  Stop stop() const { return stop_; }

 private:
  bool take_payload(Record& record) const;

  Bytes bytes_;
  size_t at_ = 0;
  Stop stop_ = Stop::end;
};

// Who and when: of a sample, and of the other records where attr_flag::sample_id_all is set.
struct RecordId {
  u32 pid = 0, tid = 0;
  u64 time = 0;  // ns; 0 where the recording has no times
  u32 cpu = 0;
  u64 id = 0;  // of the event's counter; 0 in records that perf made up
};

struct Sample {
  u32 event = 0;  // index into Recording::events()
  u16 mode = 0;   // misc::user, misc::kernel, ...
  bool exact_ip = false;
  u32 pid = 0, tid = 0, cpu = 0;
  u64 ip = 0, time = 0, addr = 0;
  u64 data_src = 0;  // see format.h; 0 where the event has none, or the sample is too short for it
  u64 period = 1;
  std::span<const Le<u64>> callchain;     // leaf first, with context markers
  std::span<const BranchEntry> branches;  // newest first
};

struct Mapping {
  RecordId by;  // its pid is not needed: see below
  i32 pid = 0;  // -1: the kernel's own
  u32 tid = 0;
  u64 start = 0, size = 0, file_offset = 0;
  bool executable = false;
  u16 mode = 0;
  std::string_view path;
  Bytes build_id;  // empty where the record has none
};

struct Comm {
  RecordId by;
  u32 pid = 0, tid = 0;
  bool exec = false;  // the process dropped its mappings and runs a new program
  std::string_view name;
};

struct Fork {  // and EXIT
  RecordId by;
  u32 pid = 0, tid = 0, parent_pid = 0, parent_tid = 0;
  u64 time = 0;
};

struct BuildId {
  i32 pid = 0;
  u16 mode = 0;
  Bytes id;  // its true length where the recording tells; else without zeros at the end
  std::string_view path;
};

// What could not be read, to be told to the user.
struct ReadCounts {
  u64 truncated_samples = 0;  // shorter than their fields
  u64 truncated_records = 0;  // the same, of other types
  u64 unknown_events = 0;     // samples whose id belongs to no event; taken as the first one's
  u64 unpack_failures = 0;    // compressed records that could not be unpacked

  void add(const ReadCounts& other);
};

// How many records there are of each type.
class TypeCounts {
 public:
  void add(RecordType type, u64 count = 1) {
    auto number = static_cast<u32>(type);
    if (number < std::size(known_)) [[likely]]
      known_[number] += count;
    else
      (number >= static_cast<u32>(RecordType::first_of_simpleperf) ? simpleperf_ : others_) +=
          count;
  }
  void add(const TypeCounts& other);

  u64 of(RecordType type) const {
    auto number = static_cast<u32>(type);
    return number < std::size(known_) ? known_[number] : 0;
  }
  u64 simpleperf() const { return simpleperf_; }  // from 32768 on
  u64 others() const { return others_; }          // types from 128 on
  u64 unknown() const;                            // all that have no name
  u64 total() const;

  static constexpr u32 types = 128;

 private:
  u64 known_[types] = {};
  u64 simpleperf_ = 0, others_ = 0;
};

}  // namespace pgokit::perf
