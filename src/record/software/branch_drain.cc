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

// Gives the `n` entries at `address` to `each`, which tells those that have a count.
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

// Of the table of indirect branches.
size_t entries_in_use(const scratch::Header& header) {
  using namespace scratch::whole_run;
  u64 highest = std::min<u64>(header.highest, branches_end - entry_size);
  return highest < branches ? 0 : (highest - branches) / entry_size + 1;
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

bool drain_whole_run(TargetMemory& memory, u64 area, size_t edges, std::vector<EdgeCount>& counts) {
  using namespace scratch::whole_run;
  scratch::Header header;
  if (!memory.read(area, &header, sizeof header)) return false;
  auto take_counter = [&](size_t edge, u64 count) {
    if (count == 0) return false;
    counts.push_back({.edge = static_cast<u32>(edge), .count = count});
    return true;
  };
  auto take_branch = [&](size_t, const Branch& one) {
    if (one.count == 0) return one.key != 0;  // it would count without a look at `highest`
    bool own_place = static_cast<i64>(one.key) < 0;
    u64 target = own_place ? 0 - one.key : one.key;
    counts.push_back({.edge = one.edge, .count = one.count, .target = target});
    return true;
  };
  size_t in_use = entries_in_use(header);
  header.highest = 0;
  header.room = most_sites * 3 / 4;
  return drain<u64>(memory, area + counters, edges, take_counter) &&
         drain<Branch>(memory, area + branches, in_use, take_branch) &&
         memory.write(area, Bytes(reinterpret_cast<const u8*>(&header), sizeof header));
}

bool forget_targets(TargetMemory& memory, u64 area) {
  using namespace scratch::whole_run;
  scratch::Header header;
  if (!memory.read(area, &header, sizeof header)) return false;
  auto take_branch = [&](size_t, const Branch& one) { return one.key != 0; };
  TargetMemory::Word none{area + scratch::highest, 0};
  return drain<Branch>(memory, area + branches, entries_in_use(header), take_branch) &&
         memory.write_words({&none, 1});
}

}  // namespace pgokit::record
