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

// Of the pairs of indirect branches and targets.
size_t pairs_in_use(const scratch::Header& header) {
  using namespace scratch::whole_run;
  u64 next = std::min<u64>(header.next_pair, pairs_end);
  return next < first_pair ? 0 : (next - first_pair) / pair_size;
}

}  // namespace

bool drain_counts(TargetMemory& memory, u64 area, size_t edges, std::vector<EdgeCount>& counts) {
  auto take_counter = [&](size_t edge, u32 count) {
    if (count == 0) return false;
    counts.push_back({.edge = static_cast<u32>(edge), .count = count});
    return true;
  };
  auto take_target = [&](size_t, const scratch::Target& one) {
    if (one.count == 0) return false;
    counts.push_back({.edge = one.edge, .count = one.count, .target = one.target});
    return true;
  };
  return drain<u32>(memory, area + scratch::counters, edges, take_counter) &&
         drain<scratch::Target>(memory, area + scratch::targets, scratch::most_targets,
                                take_target);
}

namespace {

enum class Afterwards : u8 { empty, as_before };

bool take_whole_run(TargetMemory& memory, u64 area, size_t edges, std::vector<EdgeCount>& counts,
                    Afterwards area_is) {
  using namespace scratch::whole_run;
  scratch::Header header;
  if (!memory.read(area, &header, sizeof header)) return false;
  auto take_counter = [&](size_t edge, u64 count) {
    if (count == 0) return false;
    counts.push_back({.edge = static_cast<u32>(edge), .count = count});
    return area_is == Afterwards::empty;
  };
  auto take_pair = [&](size_t, const Pair& one) {
    if (one.count) counts.push_back({.edge = one.edge, .count = one.count, .target = 0 - one.key});
    return false;
  };
  return drain<u64>(memory, area + counters, edges, take_counter) &&
         drain<Pair>(memory, area + first_pair, pairs_in_use(header), take_pair);
}

}  // namespace

bool drain_whole_run(TargetMemory& memory, u64 area, size_t edges, std::vector<EdgeCount>& counts) {
  return take_whole_run(memory, area, edges, counts, Afterwards::empty) &&
         forget_targets(memory, area);
}

bool read_whole_run(TargetMemory& memory, u64 area, size_t edges, std::vector<EdgeCount>& counts) {
  return take_whole_run(memory, area, edges, counts, Afterwards::as_before);
}

// What pairs hold does not matter where no place leads to them.
bool forget_targets(TargetMemory& memory, u64 area) {
  using namespace scratch::whole_run;
  TargetMemory::Word none{area + scratch::next_pair, first_pair};
  auto is_used = [](size_t, u64 places) { return places != 0; };
  return drain<u64>(memory, area + index, index_size / 8, is_used) &&
         memory.write_words({&none, 1});
}

}  // namespace pgokit::record
