#include "perf/recording.h"

#include "base/file.h"
#include "base/parallel.h"
#include "perf/unpack.h"

namespace pgokit::perf {
namespace {

constexpr u64 piece_size = 1 << 18;
constexpr size_t batch = 32;  // pieces of unpacked records in memory at a time

bool is_packed(RecordType type) {
  return type == RecordType::compressed || type == RecordType::compressed2;
}

}  // namespace

bool Recording::recognizes(Bytes file) {
  std::string_view start = as_text(file.first(std::min<size_t>(file.size(), 8)));
  return start == "PERFILE2" || start == "2ELIFREP" || start == "PERFFILE" || start == "ELIFFREP";
}

Result<Recording> Recording::open(Bytes file) {
  Recording recording;
  recording.file_ = file;
  recording.layout_ = TRY(read_layout(file, recording.head_));
  const Section& data = recording.layout_.data;
  recording.data_ = file.subspan(data.offset, data.size);
  recording.scan();
  recording.head_.finish();
  recording.parser_ = Parser(std::move(recording.head_.events));
  if (recording.events().empty())
    return fail("damaged recording: no event is described in it{}{}",
                recording.ending_.whole ? "" : "; ", recording.ending_.why);
  return recording;
}

// One pass over the headers of all records: types, places, and in a pipe what stands in the header
// of a file.
void Recording::scan() {
  RecordWalk walk(data_);
  u64 next_piece = 0, released = 0;
  for (Record record; walk.next(record);) {
    types_.add(record.type);
    if (record.offset >= next_piece) {
      if (record.offset - released >= 16 * piece_size) {
        release(data_.subspan(released, record.offset - released));
        released = record.offset;
      }
      pieces_.push_back(record.offset);
      next_piece = record.offset + piece_size;
    }
    if (record.type == RecordType::sample) [[likely]]
      continue;
    others_.push_back(record.offset);
    compressed_ |= is_packed(record.type);
    bool of_any_mode =
        record.type == RecordType::event_update || record.type == RecordType::build_id;
    if (layout_.pipe || of_any_mode) head_.add_record(record);
  }
  ending_.offset = layout_.data.offset + walk.position();
  ending_.trailing_bytes = data_.size() - walk.position();
  if (walk.stop() == Stop::bad_size)
    ending_.why =
        fmt::format("damaged at offset {}: a record with an impossible size", ending_.offset);
  else if (walk.stop() == Stop::cut)
    ending_.why =
        fmt::format("cut short at offset {}: the last record is not whole", ending_.offset);
  else if (!layout_.pipe && layout_.promised == 0)
    ending_.why = "the recorder did not finish it: no data size, features and build ids";
  else if (layout_.promised > layout_.data.size)
    ending_.why = fmt::format("cut short at offset {}: {} bytes of records are missing",
                              ending_.offset, layout_.promised - layout_.data.size);
  ending_.whole = ending_.why.empty();
}

void Recording::for_each_other(const std::function<void(const Record&)>& each) const {
  Unpacker unpacker;
  auto inside = [&](Bytes records) {
    RecordWalk walk(records);
    for (Record record; walk.next(record);)
      if (record.type != RecordType::sample) each(record);
  };
  for (u64 at : others_) {
    RecordWalk walk(data_.subspan(at));
    Record record;
    walk.next(record);
    record.offset = layout_.data.offset + at;
    each(record);
    if (is_packed(record.type)) unpacker.add(record, inside);
  }
}

// Calls `each` with whole records in the order of the file, those of compressed ones unpacked.
void Recording::unpack(ReadCounts& counts,
                       const std::function<void(Bytes records, u64 offset)>& each) const {
  Unpacker unpacker;
  u64 begin = 0, offset = 0;
  auto pass = [&](Bytes records) {
    if (!records.empty()) each(records, offset);
    offset += records.size();
  };
  RecordWalk walk(data_);
  for (Record record; walk.next(record);) {
    if (!is_packed(record.type)) continue;
    pass(data_.subspan(begin, record.offset - begin));
    if (!unpacker.add(record, pass)) ++counts.unpack_failures;
    begin = walk.position();
  }
  pass(data_.subspan(begin, walk.position() - begin));
  if (unpacker.pending()) ++counts.truncated_records;
}

void Recording::for_each_piece(
    unsigned threads, ReadCounts& counts,
    const std::function<void(const Piece& piece, unsigned worker)>& each) const {
  if (!compressed_) {
    u64 end = ending_.offset - layout_.data.offset;
    return parallel_for(pieces_.size(), threads, [&](size_t number, unsigned worker) {
      u64 last = number + 1 < pieces_.size() ? pieces_[number + 1] : end;
      Piece piece{data_.subspan(pieces_[number], last - pieces_[number]), number,
                  layout_.data.offset + pieces_[number]};
      each(piece, worker);
      release(piece.records);
    });
  }
  // Unpacking is serial: a batch is unpacked, then worked on in parallel.
  struct Unpacked {
    std::vector<u8> bytes;
    u64 offset = 0;
  };
  std::vector<Unpacked> waiting;
  size_t done = 0;
  auto work = [&] {
    parallel_for(waiting.size(), threads, [&](size_t i, unsigned worker) {
      each({waiting[i].bytes, done + i, waiting[i].offset}, worker);
    });
    done += waiting.size();
    waiting.clear();
  };
  unpack(counts, [&](Bytes records, u64 offset) {
    bool append = !waiting.empty() && waiting.back().bytes.size() < piece_size;
    if (!append) {
      if (waiting.size() == batch) work();
      waiting.emplace_back().offset = offset;
    }
    auto& bytes = waiting.back().bytes;
    bytes.insert(bytes.end(), records.begin(), records.end());
  });
  work();
}

}  // namespace pgokit::perf
