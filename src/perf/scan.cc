#include "perf/scan.h"

#include <algorithm>
#include <utility>

#include "base/file.h"
#include "base/parallel.h"

namespace pgokit::perf {
namespace {

constexpr u64 piece_size = 1 << 20;
constexpr u64 longest_record = 1 << 16;

// A miss for each header would be most of the time, as the processor cannot guess where they are:
// the lines that are to come are asked for, the more of them the longer the records are.
void prefetch_ahead(const Record& record) {
  constexpr u64 distance = 1536, line = 64, most = 512;
  u64 size = std::min(sizeof(RecordHeader) + record.body.size(), most);
  for (u64 at = 0; at < size; at += line) __builtin_prefetch(record.body.data() + distance + at);
}

// The records that begin from `begin` to before `limit`. The first is taken to be one.
Scan scan_part(Bytes data, u64 begin, u64 limit) {
  Scan scan;
  RecordWalk walk(data.subspan(begin));
  u64 next_piece = begin, released = begin;
  Record record;
  while (begin + walk.position() < limit && walk.next(record)) {
    prefetch_ahead(record);
    u64 at = begin + record.offset;
    scan.types.add(record.type);
    if (at >= next_piece) {
      scan.pieces.push_back(at);
      next_piece = at + piece_size;
      if (at - released >= 4 * piece_size) {
        release(data.subspan(released, at - released));
        released = at;
      }
    }
    if (record.type != RecordType::sample) [[unlikely]]
      scan.others.push_back(at);
  }
  scan.end = begin + walk.position();
  scan.stop = walk.stop();
  release(data.subspan(released, scan.end - released));
  return scan;
}

bool looks_like_records(Bytes data) {
  RecordWalk walk(data);
  Record record;
  for (int i = 0; i < 16; ++i) {
    if (!walk.next(record)) return walk.stop() == Stop::end;
    if (record_type_name(record.type).empty() || walk.position() % 8 != 0) return false;
  }
  return true;
}

// Where the first record from `begin` on may be; `limit` if nothing looks like it.
u64 guess_first(Bytes data, u64 begin, u64 limit) {
  if (begin == 0) return 0;
  u64 last = std::min(begin + longest_record, limit);
  for (u64 at = begin; at < last; at += 8)
    if (looks_like_records(data.subspan(at))) return at;
  return limit;
}

void append(std::vector<u64>& all, const std::vector<u64>& more) {
  all.insert(all.end(), more.begin(), more.end());
}

}  // namespace

Scan scan_records(Bytes data, unsigned threads, u64 part_size) {
  struct Part {
    u64 first, limit;
    Scan scan;
  };
  std::vector<Part> parts(data.size() / part_size + 1);
  parallel_for(parts.size(), threads, [&](size_t i, unsigned) {
    u64 begin = i * part_size, limit = std::min(begin + part_size, data.size());
    u64 first = guess_first(data, begin, limit);
    parts[i] = {first, limit, scan_part(data, first, limit)};
  });
  Scan all;
  for (auto& [first, limit, found] : parts) {
    Scan scan = std::move(found);  // gone behind each round: there may be many others
    if (all.end >= limit && limit > 0) continue;  // inside of a long record
    if (first != all.end) scan = scan_part(data, all.end, limit);
    all.types.add(scan.types);
    append(all.others, scan.others);
    append(all.pieces, scan.pieces);
    all.end = scan.end;
    all.stop = scan.stop;
    if (all.end < limit) break;
  }
  return all;
}

}  // namespace pgokit::perf
