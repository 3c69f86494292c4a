#pragma once

// A recording of perf or simpleperf (perf.data), read in place.
//
//   auto file = TRY(MappedFile::open(path));            // has to outlive everything below
//   auto recording = TRY(Recording::open(file.bytes()));
//   recording.for_each_other([&](const Record& record) {     // mappings, processes, losses: few
//     if (record.type == RecordType::mmap2) recording.parser().mapping(record, mapping, counts);
//   });
//   recording.for_each_piece(threads, counts, [&](const Piece& piece, unsigned worker) {
//     RecordWalk walk(piece.records);                        // many: in parallel
//     for (Record record; walk.next(record);)
//       if (record.type == RecordType::sample) recording.parser().sample(record, sample, counts);
//   });
//
// Reads file and pipe mode, all sizes of perf_event_attr, compressed records. Does not read other
// byte orders, version 1, and the folders of perf record --threads. A damaged or unfinished
// recording is read as far as it goes: see ending().
// Source of truth: tools/perf/Documentation/perf.data-file-format.txt and the code it speaks of.

#include <functional>

#include "perf/header.h"

namespace pgokit::perf {

// Whole records that lie behind each other.
struct Piece {
  Bytes records;
  size_t number = 0;  // in the order of the file; the same for any number of threads
  u64 offset = 0;     // in the file, or in what was unpacked
};

// How the recording ends.
struct Ending {
  bool whole = true;
  std::string why;         // one sentence where it is not whole
  u64 offset = 0;          // in the file: behind the last record that could be read
  u64 trailing_bytes = 0;  // between there and the end of the data
};

class Recording {
 public:
  // True for what open() would not refuse as "not a perf.data file".
  static bool recognizes(Bytes file);
  // On all cores, or on so many threads.
  static Result<Recording> open(Bytes file, unsigned threads = 0);

  bool is_pipe() const { return layout_.pipe; }
  bool is_compressed() const { return compressed_; }
  const std::vector<Event>& events() const { return parser_.events(); }
  const Features& features() const { return head_.features; }
  const Parser& parser() const { return parser_; }
  const Ending& ending() const { return ending_; }
  // Of the records in the file itself; what is inside of compressed ones is not looked at.
  const TypeCounts& types() const { return types_; }
  // Part of the header, not of the records, could not be read.
  bool header_damaged() const { return head_.damaged; }
  // What is wrong with all of it, mostly as it was cut short; empty: nothing.
  std::string damage() const {
    if (!ending_.whole) return ending_.why;
    return head_.damaged ? "part of its header is damaged" : "";
  }

  // Every record that is not a sample, in the order of the file.
  void for_each_other(const std::function<void(const Record&)>& each) const;

  // All records, piece by piece, on several threads (0: all cores). What is inside of compressed
  // records comes where they are, unpacked anew each time (in bounded memory).
  void for_each_piece(unsigned threads, ReadCounts& counts,
                      const std::function<void(const Piece& piece, unsigned worker)>& each) const;

 private:
  void scan(unsigned threads);
  Record other(u64 at) const;
  void unpack(ReadCounts& counts, const std::function<void(Bytes records, u64 offset)>& each) const;

  Bytes file_, data_;
  Layout layout_;
  Head head_;
  Parser parser_;
  Ending ending_;
  TypeCounts types_;
  bool compressed_ = false;
  std::vector<u64> others_;  // where the records that are not samples are, in data_
  std::vector<u64> pieces_;  // where pieces begin
  u64 end_ = 0;              // behind the last record, in data_
};

}  // namespace pgokit::perf
