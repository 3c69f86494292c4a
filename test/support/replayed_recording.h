#pragma once

// The records of a recording as the kernel would hand them over to record_in_hardware(): in the
// layout of its events, one by one. For tests.
//
//   auto recording = perf::Recording::open(bytes);
//   events.records = raw_records(*recording);

#include <algorithm>

#include "perf/recording.h"
#include "perf/test_recordings.h"
#include "test/support/replayed_events.h"

namespace pgokit::record::test {

// Samples and all else with what the recorder asks for (attr_for() in hardware_recorder.cc).
inline perf::Writer::Event event_as_asked_for() {
  auto event = perf::test::branch_event({ReplayedEvents::first_id});
  event.attr.sample_type |= perf::field::callchain;
  return event;
}

inline std::vector<RawRecord> split(Bytes data) {
  std::vector<RawRecord> records;
  for (size_t at = 0; at < data.size();) {
    perf_event_header header;
    std::memcpy(&header, data.data() + at, sizeof header);
    records.emplace_back(data.begin() + at, data.begin() + at + header.size);
    at += header.size;
  }
  return records;
}

// Mappings carry the build ids that the recording has in its head, as those of a kernel do.
class Transcription {
 public:
  Transcription(const perf::Recording& recording, perf::Writer& writer)
      : recording_(recording), writer_(writer) {}

  void write(const perf::Record& record) {
    const auto& parser = recording_.parser();
    switch (record.type) {
      case perf::RecordType::sample:
        return sample(record);
      case perf::RecordType::mmap:
      case perf::RecordType::mmap2:
        return mapping(record);
      case perf::RecordType::comm:
        if (perf::Comm comm; parser.comm(record, comm, counts_))
          writer_.comm(by(comm.by, comm.pid, comm.tid), comm.name, comm.exec);
        return;
      case perf::RecordType::fork:
      case perf::RecordType::exit:
        if (perf::Fork fork; parser.fork(record, fork, counts_)) {
          auto at = by(fork.by, fork.pid, fork.tid);
          at.time = fork.time;
          if (record.type == perf::RecordType::fork)
            writer_.fork(at, fork.parent_pid, fork.parent_tid);
          else
            writer_.exit(at, fork.parent_pid, fork.parent_tid);
        }
        return;
      default:
        return;
    }
  }

 private:
  static perf::RecordId by(const perf::RecordId& id, u32 pid, u32 tid) {
    return {.pid = pid, .tid = tid, .time = id.time, .id = ReplayedEvents::first_id};
  }

  void sample(const perf::Record& record) {
    perf::Sample sample;
    if (!recording_.parser().sample(record, sample, counts_)) return;
    std::vector<u64> chain(sample.callchain.begin(), sample.callchain.end());
    writer_.sample({.id = {.pid = sample.pid,
                           .tid = sample.tid,
                           .time = sample.time,
                           .id = ReplayedEvents::first_id},
                    .ip = sample.ip,
                    .period = sample.period,
                    .mode = sample.mode,
                    .exact_ip = sample.exact_ip,
                    .callchain = chain,
                    .branches = sample.branches});
  }

  void mapping(const perf::Record& record) {
    perf::Mapping mapping;
    if (!recording_.parser().mapping(record, mapping, counts_)) return;
    auto id = mapping.build_id;
    for (const auto& known : recording_.features().build_ids)
      if (id.empty() && known.path == mapping.path) id = known.id;
    writer_.mmap2(by(mapping.by, static_cast<u32>(mapping.pid), mapping.tid),
                  {.start = mapping.start,
                   .size = mapping.size,
                   .file_offset = mapping.file_offset,
                   .path = mapping.path,
                   .build_id = id,
                   .protection = mapping.executable ? 5U : 1U,
                   .mode = mapping.mode});
  }

  const perf::Recording& recording_;
  perf::Writer& writer_;
  perf::ReadCounts counts_;
};

inline std::vector<RawRecord> raw_records(const perf::Recording& recording) {
  auto image = perf::test::recording({event_as_asked_for()}, [&](perf::Writer& writer) {
    Transcription transcription(recording, writer);
    perf::ReadCounts counts;
    recording.for_each_piece(1, counts, [&](const perf::Piece& piece, unsigned) {
      perf::RecordWalk walk(piece.records);
      for (perf::Record record; walk.next(record);) transcription.write(record);
    });
  });
  auto data = perf::test::data_of(image);
  return split(data);
}

}  // namespace pgokit::record::test
