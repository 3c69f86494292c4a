#include "instr_profile/memory/read_raw_memory.h"

#include <tsl/robin_map.h>

#include <algorithm>

#include "base/hash.h"
#include "instr_profile/model/facts.h"
#include "instr_profile/model/in_order.h"

namespace pgokit::instr_profile {
namespace {

constexpr std::string_view magic("\x81rforpm\xff", 8);
constexpr u64 oldest_version = 3, version_with_histograms = 4, version_with_short_histograms = 5;
constexpr u32 fields_without_histogram = 25;
constexpr size_t places_of_dense_map = 64;

namespace field = memory_field_number;

u64 expanded(u16 value) { return u64{value & 0xfffu} << (value >> 12); }

// Of the allocations of one stack those of a later dump are added to those before.
class Adding {
 public:
  Adding(RawMemory::Block& into, const RawMemory::Block& from) : into_(into), from_(from) {}

  void add() {
    namespace f = field;
    // Times and processors are of 32 bits, and so are counts of these: they wrap, as in LLVM.
    auto overlaps = u32{at(from_, f::allocated) < at(into_, f::freed)};
    auto same_allocating = u32{at(into_, f::allocating_cpu) == at(from_, f::allocating_cpu)};
    auto same_freeing = u32{at(into_, f::freeing_cpu) == at(from_, f::freeing_cpu)};
    sum_32(f::count, at(from_, f::count));
    totals(f::accesses, f::least_accesses, f::most_accesses);
    totals(f::size, f::least_size, f::largest_size);
    totals(f::lifetime, f::least_lifetime, f::longest_lifetime);
    totals(f::density, f::least_density, f::highest_density);
    totals(f::lifetime_density, f::least_lifetime_density, f::highest_lifetime_density);
    sum_32(f::overlapping, overlaps);
    sum_32(f::same_allocating_cpu, same_allocating);
    sum_32(f::same_freeing_cpu, same_freeing);
    for (u32 last : {f::allocated, f::freed, f::allocating_cpu, f::freeing_cpu})
      into_.fields[last - 1] = at(from_, last);
    add_histogram();
  }

 private:
  static u64 at(const RawMemory::Block& block, u32 number) { return block.fields[number - 1]; }
  void sum_32(u32 number, u64 value) {
    into_.fields[number - 1] = static_cast<u32>(at(into_, number) + value);
  }
  void totals(u32 total, u32 least, u32 most) {
    into_.fields[total - 1] += at(from_, total);
    into_.fields[least - 1] = std::min(at(into_, least), at(from_, least));
    into_.fields[most - 1] = std::max(at(into_, most), at(from_, most));
  }
  void add_histogram() {
    auto& sum = into_.histogram;
    sum.resize(std::max(sum.size(), from_.histogram.size()));
    for (size_t i = 0; i < from_.histogram.size(); ++i) sum[i] += from_.histogram[i];
  }

  RawMemory::Block& into_;
  const RawMemory::Block& from_;
};

class Reader {
 public:
  explicit Reader(Bytes bytes) : file_(bytes) {}

  Result<RawMemory> read() && {
    if (!is_raw_memory(file_)) return fail("{}", problem::magic);
    for (begin_ = 0; begin_ < file_.size(); begin_ += size_) TRY(read_dump());
    return std::move(raw_);
  }

 private:
  Status read_dump() {
    Cursor in(file_.subspan(begin_));
    bool ours = as_text(in.bytes(magic.size())) == magic;
    u64 version = in.get<u64>();
    size_ = in.get<u64>();
    u64 segments = in.get<u64>(), blocks = in.get<u64>(), stacks = in.get<u64>();
    if (!in.ok()) return fail("{} (a dump at {:#x})", problem::truncated, begin_);
    if (!ours) return fail("{} (a dump at {:#x})", problem::magic, begin_);
    if (version < oldest_version || version > version_with_short_histograms)
      return fail("{}: memory profile of version {}, known are 3 to 5", problem::version, version);
    if (size_ < in.position() || size_ > file_.size() - begin_)
      return fail("{}: a dump of {} bytes at {:#x}", problem::malformed, size_, begin_);
    raw_.version = version;
    auto list_of_segments = TRY(list(segments, "segments"));
    TRY(read_segments(list_of_segments));
    auto list_of_blocks = TRY(list(blocks, "allocations"));
    TRY(read_blocks(list_of_blocks));
    return read_stacks(TRY(list(stacks, "call stacks")));
  }

  Result<Cursor> list(u64 offset, std::string_view what) const {
    if (offset > size_)
      return fail("{}: {} at {:#x} of a dump of {} bytes", problem::malformed, what, offset, size_);
    return Cursor(file_.subspan(begin_ + offset, size_ - offset));
  }

  Status read_segments(Cursor in) {
    constexpr u64 longest_build_id = 32;
    std::vector<RawMemory::Segment> segments;
    for (u64 n = in.get<u64>(); n > 0 && in.ok(); --n) {
      RawMemory::Segment one{.start = in.get<u64>(), .end = in.get<u64>(), .offset = in.get<u64>()};
      u64 size = in.get<u64>();
      auto id = as_text(in.bytes(longest_build_id));
      if (size > longest_build_id)
        return fail("{}: a build id of {} bytes", problem::malformed, size);
      one.build_id = id.substr(0, size);
      segments.push_back(one);
    }
    if (!in.ok()) return fail("{} (segments)", problem::truncated);
    if (!raw_.segments.empty() && raw_.segments != segments)
      return fail("{}: memprof raw profile has different segment information", problem::malformed);
    raw_.segments = std::move(segments);
    return {};
  }

  Status read_blocks(Cursor in) {
    bool with_histogram = raw_.version >= version_with_histograms;
    u32 fields = with_histogram ? memory_fields : fields_without_histogram;
    for (u64 n = in.get<u64>(); n > 0 && in.ok(); --n) {
      RawMemory::Block block{.stack = in.get<u64>()};
      for (u32 number = 1; number <= fields; ++number)
        block.fields[number - 1] = memory_field(number).size == 4 ? in.get<u32>() : in.get<u64>();
      block.fields.back() = 0;  // an address of the run time
      if (with_histogram) read_histogram(in, block);
      if (!in.ok()) break;
      auto [at, added] = block_of_.emplace(block.stack, raw_.blocks.size());
      if (added)
        raw_.blocks.push_back(std::move(block));
      else
        Adding(raw_.blocks[at->second], block).add();
    }
    return in.ok() ? Status() : fail("{} (allocations)", problem::truncated);
  }

  void read_histogram(Cursor& in, RawMemory::Block& block) const {
    u64 size = block.fields[field::histogram_size - 1];
    if (raw_.version >= version_with_short_histograms) {
      for (u16 value : in.array<Le<u16>>(size)) block.histogram.push_back(expanded(value));
    } else {
      auto values = in.array<Le<u64>>(size);
      block.histogram.assign(values.begin(), values.end());
    }
  }

  Status read_stacks(Cursor in) {
    std::vector<RawMemory::Stack> stacks;
    std::vector<u64> numbers;
    for (u64 n = in.get<u64>(); n > 0 && in.ok(); --n) {
      u64 number = in.get<u64>();
      stacks.push_back({number, in.array<Le<u64>>(in.get<u64>())});
      numbers.push_back(number);
    }
    if (!in.ok()) return fail("{} (call stacks)", problem::truncated);
    // Those of a later dump are added as they stand in its table.
    bool first = raw_.stacks.empty();
    auto order = first ? std::vector<u32>() : hash_table_order(numbers, places_of_dense_map);
    for (u32 i = 0; i < stacks.size(); ++i) TRY(add_stack(stacks[first ? i : order[i]]));
    return {};
  }

  Status add_stack(const RawMemory::Stack& stack) {
    auto [at, added] = stack_of_.emplace(stack.number, raw_.stacks.size());
    if (added)
      raw_.stacks.push_back(stack);
    else if (!std::ranges::equal(raw_.stacks[at->second].places, stack.places))
      return fail("{}: memprof raw profile got different call stack for same id",
                  problem::malformed);
    return {};
  }

  Bytes file_;
  size_t begin_ = 0;  // of the dump
  u64 size_ = 0;
  RawMemory raw_;
  tsl::robin_map<u64, size_t, IntHash> block_of_, stack_of_;
};

}  // namespace

bool is_raw_memory(Bytes bytes) { return as_text(bytes).starts_with(magic); }

Result<RawMemory> read_raw_memory(Bytes bytes) { return Reader(bytes).read(); }

}  // namespace pgokit::instr_profile
