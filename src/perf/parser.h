#pragma once

// The events of a recording, and its records decoded by them.
//
//   Sample sample;
//   if (recording.parser().sample(record, sample, counts)) use(sample.branches);
//   Mapping mapping;
//   if (recording.parser().mapping(record, mapping, counts)) ...
//
// Each function takes records of its own type only, gives false for one that is too short, and
// counts that. All are const and may be called from any thread.
// Source of truth: perf_event_open(2); kernel/events/core.c for the order of the fields.

#include <string>
#include <vector>

#include "perf/records.h"

namespace pgokit::perf {

struct Event {
  std::string name;  // as given to perf record -e; else made from type and config
  Attr attr;
  std::span<const Le<u64>> ids;  // of its counters, one per CPU or thread
};

class Parser {
 public:
  Parser() = default;
  explicit Parser(std::vector<Event> events);

  const std::vector<Event>& events() const { return events_; }

  bool sample(const Record& record, Sample& sample, ReadCounts& counts) const;
  bool mapping(const Record& record, Mapping& mapping, ReadCounts& counts) const;
  bool comm(const Record& record, Comm& comm, ReadCounts& counts) const;
  bool fork(const Record& record, Fork& fork, ReadCounts& counts) const;
  // How many events a LOST or samples a LOST_SAMPLES record tells of.
  bool lost(const Record& record, u64& count, ReadCounts& counts) const;
  // What stands at the end of a record that is not a sample (THROTTLE and others have only that).
  RecordId trailer(const Record& record) const;

 private:
  u32 event_of_sample(Bytes body, ReadCounts& counts) const;
  u32 event_of_id(u64 id, ReadCounts* counts) const;
  void skip_read(Cursor& in, const Attr& attr) const;
  static u64 data_source(Cursor in, const Attr& attr, size_t branches);

  std::vector<Event> events_;
  std::vector<std::pair<u64, u32>> events_by_id_;  // sorted
  u32 id_position_ = no_id;                        // of the id among the first u64 of a sample
  u32 id_from_end_ = no_id;                        // among the last u64 of the other records

  static constexpr u32 no_id = ~u32(0);
};

// "cycles", "cpu-clock", ... or the numbers.
std::string default_event_name(const Attr& attr);

// The build id in a field of 20 bytes whose true size is not known.
Bytes without_padding(Bytes id);

}  // namespace pgokit::perf
