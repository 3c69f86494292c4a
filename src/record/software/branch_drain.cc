#include "record/software/branch_drain.h"

#include <algorithm>

#include "record/x86/scratch.h"

namespace pgokit::record {
namespace {

constexpr size_t page_size = 4096;

// Writes zeros over whole pages, those that follow each other at once.
class Zeros {
 public:
  explicit Zeros(TargetMemory& memory) : memory_(memory) {}

  void page(u64 address) {
    if (address != end_) write(), begin_ = address;
    end_ = address + page_size;
  }
  bool write() {
    static std::vector<u8> zeros;
    if (zeros.size() < end_ - begin_) zeros.resize(end_ - begin_);
    ok_ = ok_ && (begin_ == end_ || memory_.write(begin_, Bytes(zeros).first(end_ - begin_)));
    begin_ = end_;
    return ok_;
  }

 private:
  TargetMemory& memory_;
  u64 begin_ = 0, end_ = 0;
  bool ok_ = true;
};

// Gives the `n` entries at `address` to `each`, which tells those that are to be zero then.
template <class Entry, class Each>
bool drain(TargetMemory& memory, u64 address, size_t n, const Each& each) {
  constexpr size_t in_page = page_size / sizeof(Entry);
  static std::vector<Entry> entries;  // a window comes every few milliseconds
  if (entries.size() < n) entries.resize(n);
  if (!memory.read(address, entries.data(), n * sizeof(Entry))) return false;
  Zeros zeros(memory);
  for (size_t begin = 0; begin < n; begin += in_page) {
    bool any = false;
    for (size_t i = begin; i < std::min(begin + in_page, n); ++i) any |= each(i, entries[i]);
    if (any) zeros.page(address + begin * sizeof(Entry));
  }
  return zeros.write();
}

using scratch::Pair;

size_t pairs_in_use(const scratch::Header& header) {
  u64 next = std::min<u64>(header.next_pair, scratch::pairs_end);
  return next < scratch::first_pair ? 0 : (next - scratch::first_pair) / scratch::pair_size;
}

enum class Afterwards : u8 { empty, as_before };

// The counts of pairs stay either way.
bool take(TargetMemory& memory, u64 area, size_t edges, std::vector<EdgeCount>& counts,
          Afterwards counters_are, std::vector<Pair>& pairs) {
  scratch::Header header;
  if (!memory.read(area, &header, sizeof header)) return false;
  auto take_counter = [&](size_t edge, u64 count) {
    if (count == 0) return false;
    counts.push_back({.edge = static_cast<u32>(edge), .count = count});
    return counters_are == Afterwards::empty;
  };
  pairs.resize(pairs_in_use(header));
  if (!drain<u64>(memory, area + scratch::counters, edges, take_counter)) return false;
  if (pairs.empty()) return true;
  if (!memory.read(area + scratch::first_pair, pairs.data(), pairs.size() * sizeof(Pair)))
    return false;
  for (const auto& one : pairs)
    if (one.count) counts.push_back({.edge = one.edge, .count = one.count, .target = 0 - one.key});
  return true;
}

// Those that have a count are written back without, with what lies between them and is near.
bool clear_pairs(TargetMemory& memory, u64 area, std::span<Pair> pairs) {
  constexpr size_t near = page_size / sizeof(Pair);
  size_t begin = 0, end = 0;
  auto write = [&] {
    auto changed = pairs.subspan(begin, end - begin);
    Bytes bytes(reinterpret_cast<const u8*>(changed.data()), changed.size_bytes());
    return begin == end || memory.write(area + scratch::first_pair + begin * sizeof(Pair), bytes);
  };
  for (size_t n = 0; n < pairs.size(); ++n) {
    if (pairs[n].count == 0) continue;
    pairs[n].count = 0;
    if (n - end > near || begin == end) {
      if (!write()) return false;
      begin = n;
    }
    end = n + 1;
  }
  return write();
}

}  // namespace

bool drain_window(TargetMemory& memory, u64 area, size_t edges, std::vector<EdgeCount>& counts) {
  // To read more of them each time takes longer than to meet those again that are in use.
  constexpr size_t most_kept = 4096;
  static std::vector<Pair> pairs;
  if (!take(memory, area, edges, counts, Afterwards::empty, pairs)) return false;
  return pairs.size() > most_kept ? forget_targets(memory, area) : clear_pairs(memory, area, pairs);
}

bool drain_whole_run(TargetMemory& memory, u64 area, size_t edges, std::vector<EdgeCount>& counts) {
  std::vector<Pair> pairs;
  return take(memory, area, edges, counts, Afterwards::empty, pairs) &&
         forget_targets(memory, area);
}

bool read_whole_run(TargetMemory& memory, u64 area, size_t edges, std::vector<EdgeCount>& counts) {
  std::vector<Pair> pairs;
  return take(memory, area, edges, counts, Afterwards::as_before, pairs);
}

// What pairs hold does not matter where no place leads to them.
bool forget_targets(TargetMemory& memory, u64 area) {
  TargetMemory::Word none{area + scratch::next_pair, scratch::first_pair};
  auto is_used = [](size_t, u64 places) { return places != 0; };
  return drain<u64>(memory, area + scratch::index, scratch::index_size / 8, is_used) &&
         memory.write_words({&none, 1});
}

}  // namespace pgokit::record
