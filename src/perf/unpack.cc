#include "perf/unpack.h"

#include <zstd.h>

#include <cstring>

namespace pgokit::perf {
namespace {

constexpr size_t buffer_size = 1 << 18;  // above the largest record (64 KiB)
// Real recordings stay below 100 : 1.
constexpr u64 max_ratio = 1000, free_bytes = u64(64) << 20;

}  // namespace

struct Unpacker::Stream {
  ZSTD_DStream* zstd = ZSTD_createDStream();
  ~Stream() { ZSTD_freeDStream(zstd); }
};

Unpacker::Unpacker() = default;
Unpacker::~Unpacker() = default;

bool Unpacker::add(const Record& record, const std::function<void(Bytes records)>& each) {
  if (failed_) return false;
  Bytes piece = record.body;
  if (record.type == RecordType::compressed2) {
    Cursor in(record.body);
    piece = in.bytes(in.get<u64>());
    if (!in.ok()) return failed_ = true, false;
  }
  if (!stream_) {
    stream_ = std::make_unique<Stream>();
    buffer_.resize(buffer_size);
  }
  packed_ += piece.size();
  ZSTD_inBuffer from{piece.data(), piece.size(), 0};
  bool more = !piece.empty();
  while (more) {
    ZSTD_outBuffer to{buffer_.data(), buffer_.size(), used_};
    size_t before = from.pos;
    if (ZSTD_isError(ZSTD_decompressStream(stream_->zstd, &to, &from)))
      return failed_ = true, false;
    bool stuck = from.pos == before && to.pos == used_;
    // An output buffer that became full means that there may be more to come.
    more = from.pos < from.size || to.pos == buffer_.size();
    unpacked_ += to.pos - used_;
    used_ = to.pos;
    bool bomb = unpacked_ > free_bytes + packed_ * max_ratio;
    if (bomb || !pass_on(each) || (stuck && from.pos < from.size)) return failed_ = true, false;
    more = more && !stuck;
  }
  return true;
}

// Whole records go to `each`; the start of the next one moves to the front of the buffer. False:
// the next one is not a record, or larger than the buffer.
bool Unpacker::pass_on(const std::function<void(Bytes records)>& each) {
  RecordWalk walk(Bytes(buffer_.data(), used_));
  Record record;
  while (walk.next(record)) {
  }
  size_t whole = walk.position();
  if (whole) each(Bytes(buffer_.data(), whole));
  if (walk.stop() == Stop::bad_size) return false;
  std::memmove(buffer_.data(), buffer_.data() + whole, used_ - whole);
  used_ -= whole;
  return used_ < buffer_.size();
}

}  // namespace pgokit::perf
