#include "perf/recording.h"

#include "base/file.h"
#include "base/parallel.h"
#include "perf/scan.h"
#include "perf/unpack.h"

namespace pgokit::perf {
namespace {

constexpr u64 unpacked_piece_size = 1 << 18;
constexpr size_t batch = 32;  // pieces of unpacked records in memory at a time

bool is_packed(RecordType type) {
  return type == RecordType::compressed || type == RecordType::compressed2;
}

}  // namespace

bool Recording::recognizes(Bytes file) {
  std::string_view start = as_text(file.first(std::min<size_t>(file.size(), 8)));
  return start == "PERFILE2" || start == "2ELIFREP" || start == "PERFFILE" || start == "ELIFFREP";
}

Result<Recording> Recording::open(Bytes file, unsigned threads) {
  Recording recording;
  recording.file_ = file;
  recording.layout_ = TRY(read_layout(file, recording.head_));
  const Section& data = recording.layout_.data;
  recording.data_ = file.subspan(data.offset, data.size);
  recording.scan(threads);
  recording.head_.finish();
  recording.parser_ = Parser(std::move(recording.head_.events));
  if (recording.events().empty())
    return fail("damaged recording: no event is described in it{}{}",
                recording.ending_.whole ? "" : "; ", recording.ending_.why);
  return recording;
}

// Types and places of all records, and in a pipe what stands in the header of a file.
void Recording::scan(unsigned threads) {
  Scan found = scan_records(data_, threads);
  types_ = found.types;
  others_ = std::move(found.others);
  pieces_ = std::move(found.pieces);
  end_ = found.end;
  for (u64 at : others_) {
    Record record = other(at);
    compressed_ |= is_packed(record.type);
    bool of_any_mode =
        record.type == RecordType::event_update || record.type == RecordType::build_id;
    if (layout_.pipe || of_any_mode) head_.add_record(record);
  }
  ending_.offset = layout_.data.offset + end_;
  ending_.trailing_bytes = data_.size() - end_;
  if (found.stop == Stop::bad_size)
    ending_.why =
        fmt::format("damaged at offset {}: a record with an impossible size", ending_.offset);
  else if (found.stop == Stop::cut)
    ending_.why =
        fmt::format("cut short at offset {}: the last record is not whole", ending_.offset);
  else if (!layout_.pipe && layout_.promised == 0)
    ending_.why = "the recorder did not finish it: no data size, features and build ids";
  else if (layout_.promised > layout_.data.size)
    ending_.why = fmt::format("cut short at offset {}: {} bytes of records are missing",
                              ending_.offset, layout_.promised - layout_.data.size);
  ending_.whole = ending_.why.empty();
}

Record Recording::other(u64 at) const {
  RecordWalk walk(data_.subspan(at));
  Record record;
  walk.next(record);
  record.offset = at;
  return record;
}

void Recording::for_each_other(const std::function<void(const Record&)>& each) const {
  Unpacker unpacker;
  auto inside = [&](Bytes records) {
    RecordWalk walk(records);
    for (Record record; walk.next(record);)
      if (record.type != RecordType::sample) each(record);
  };
  for (u64 at : others_) {
    Record record = other(at);
    record.offset += layout_.data.offset;
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
    return parallel_for(pieces_.size(), threads, [&](size_t number, unsigned worker) {
      u64 last = number + 1 < pieces_.size() ? pieces_[number + 1] : end_;
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
    bool append = !waiting.empty() && waiting.back().bytes.size() < unpacked_piece_size;
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
