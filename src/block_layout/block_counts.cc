#include "block_layout/block_counts.h"

#include <algorithm>
#include <tuple>

#include "base/saturated.h"
#include "base/sort_and_sum.h"
#include "block_map/block_map.h"

namespace pgokit::block_layout {
namespace {

using program::CodeIndex;
using samples::RangeCount;

// Blocks that lie one behind the other: a range of a function's map.
struct Part {
  u64 begin = 0, end = 0;
  u32 function = 0, first_block = 0, blocks = 0;
};

struct BlockAt {
  u32 function = 0, block = 0;
  bool is_begin = false;
};

class BlockCounter {
 public:
  BlockCounter(const program::CodeMap& code, const samples::Counts& counts)
      : code_(code), counts_(counts) {}

  void see(const block_map::Function& function) {
    ++result_.mapped_functions;
    if (function.blocks.empty() || function.blocks[0].range != 0) return;
    if (!is_in_order(function) || !has_run(function)) return;
    u32 number = static_cast<u32>(result_.functions.size());
    auto& counted = result_.functions.emplace_back();
    counted.address = function.addresses[0];
    counted.has_hashes = function.features.hashes;
    const auto& blocks = function.blocks;
    for (u32 i = 0; i < blocks.size(); ++i) {
      counted.blocks.push_back({.id = blocks[i].id,
                                .size = blocks[i].size,
                                .flags = blocks[i].flags,
                                .hash = counted.has_hashes ? function.columns.hashes[i] : 0});
      starts_.push_back(function.address_of(blocks[i]));
      if (i == 0 || blocks[i].range != blocks[i - 1].range)
        parts_.push_back({.begin = starts_.back(), .function = number, .first_block = i});
      ++parts_.back().blocks;
      parts_.back().end = starts_.back() + blocks[i].size;
    }
    first_start_.push_back(static_cast<u32>(starts_.size() - blocks.size()));
  }

  BlockCounts finish() {
    drop_overlapping_parts();
    for (const auto& part : parts_) count_ranges(part);
    for (const auto& branch : counts_.branches) count_branch(branch);
    for (auto& function : result_.functions) finish(function);
    sort_and_sum(result_.calls, [](const FunctionCall& call) {
      return std::tuple(call.from, call.to, call.block);
    });
    return std::move(result_);
  }

 private:
  // As compilers write them; what is damaged would cost more to count than it is worth.
  static bool is_in_order(const block_map::Function& function) {
    const auto& blocks = function.blocks;
    for (size_t i = 0; i < blocks.size(); ++i) {
      u64 begin = function.address_of(blocks[i]), end = begin + blocks[i].size;
      bool first = i == 0 || blocks[i].range != blocks[i - 1].range;
      if (end < begin || (!first && begin < function.address_of(blocks[i - 1]))) return false;
    }
    return true;
  }

  // So that each range is counted once, whatever a damaged map says.
  void drop_overlapping_parts() {
    std::ranges::stable_sort(parts_, {}, &Part::begin);
    u64 end = 0;
    std::erase_if(parts_, [&](const Part& part) {
      if (part.begin < end) return true;
      end = part.end;
      return false;
    });
  }

  // Ranges that begin in a part of the function: those that begin before it run into it by mistake.
  std::span<const RangeCount> ranges_in(u64 begin, u64 end) const {
    auto address = [](const RangeCount& range) { return range.start.value; };
    auto first = std::ranges::lower_bound(counts_.ranges, begin, {}, address);
    auto last = std::ranges::lower_bound(first, counts_.ranges.end(), end, {}, address);
    return {first, last};
  }

  bool has_run(const block_map::Function& function) const {
    const auto& blocks = function.blocks;
    for (size_t i = 0, begin = 0; i < blocks.size(); ++i) {
      if (i + 1 < blocks.size() && blocks[i + 1].range == blocks[i].range) continue;
      u64 end = function.address_of(blocks[i]) + blocks[i].size;
      if (!ranges_in(function.address_of(blocks[begin]), end).empty()) return true;
      begin = i + 1;
    }
    return false;
  }

  std::span<const u64> starts_of(const Part& part) const {
    return std::span(starts_).subspan(first_start_[part.function] + part.first_block, part.blocks);
  }

  // The last of the part's blocks that begins there or before.
  static u32 block_in(std::span<const u64> starts, u64 address) {
    auto next = std::ranges::upper_bound(starts, address);
    return static_cast<u32>(std::max<std::ptrdiff_t>(next - starts.begin(), 1) - 1);
  }

  // How often the code from each change on runs; sums wrap around where a file's counts do.
  struct Change {
    u64 at = 0, count = 0;
  };

  void count_ranges(const Part& part) {
    auto ranges = ranges_in(part.begin, part.end);
    if (ranges.empty()) return;
    auto starts = starts_of(part);
    auto& function = result_.functions[part.function];
    changes_.clear();
    ran_on_.assign(part.blocks + 1, 0);
    for (const auto& range : ranges) {
      u64 last = std::min(range.last.value, part.end - 1);
      if (last < range.start.value) continue;
      changes_.push_back({range.start.value, range.count});
      changes_.push_back({last + 1, 0 - range.count});
      // Into each block that begins behind the range's start.
      ran_on_[block_in(starts, range.start.value) + 1] += range.count;
      ran_on_[block_in(starts, last) + 1] -= range.count;
    }
    sort_and_sum(changes_, &Change::at,
                 [](Change& sum, const Change& one) { sum.count += one.count; });
    u64 times = 0;
    for (size_t i = 0; i + 1 < changes_.size(); ++i) {
      times += changes_[i].count;
      if (times == 0) continue;
      u32 last = block_in(starts, changes_[i + 1].at - 1);
      for (u32 b = block_in(starts, changes_[i].at); b <= last; ++b)
        raise(function, part.first_block + b, times);
    }
    times = 0;
    for (u32 b = 1; b < part.blocks; ++b) {
      times += ran_on_[b];
      add_edge(part.function, part.first_block + b - 1, part.first_block + b, times);
    }
  }

  static void raise(CountedFunction& function, u32 block, u64 count) {
    auto& now = function.blocks[block].count;
    now = std::max(now, count);
  }

  void add_edge(u32 function, u32 from, u32 to, u64 count) {
    if (count > 0) result_.functions[function].edges.push_back({from, to, count});
  }

  std::optional<BlockAt> block_at(BinaryAddr address) const {
    if (address == samples::external) return std::nullopt;
    auto next = std::ranges::upper_bound(parts_, address.value, {}, &Part::begin);
    if (next == parts_.begin()) return std::nullopt;
    const Part& part = *--next;
    if (address.value >= part.end) return std::nullopt;
    auto starts = starts_of(part);
    u32 block = block_in(starts, address.value);
    return BlockAt{part.function, part.first_block + block, starts[block] == address.value};
  }

  void count_branch(const samples::BranchCount& branch) {
    auto to = block_at(branch.to);
    if (!to || !to->is_begin) return;
    auto from = block_at(branch.from);
    auto at = branch.from == samples::external ? program::no_code : code_.index_of(branch.from);
    bool is_call = at != program::no_code && code_.is_call(at);
    bool is_return = at != program::no_code && code_.is_return(at);
    bool is_entry = to->block == 0;
    bool leaves = !from || from->function != to->function;
    if (!is_entry && (is_return || leaves)) return count_return(*to, branch);
    if (leaves && is_entry) {
      raise(result_.functions[to->function], 0, branch.count);
      if (from) result_.calls.push_back({from->function, to->function, branch.count, from->block});
    }
    if (!leaves && !is_call && !is_return)
      add_edge(to->function, from->block, to->block, branch.count);
  }

  // Of a call at the end of the block in front, or thrown at a landing pad.
  void count_return(const BlockAt& to, const samples::BranchCount& branch) {
    auto& function = result_.functions[to.function];
    raise(function, to.block, branch.count);
    auto at = code_.index_of(branch.to);
    auto before = at == program::no_code ? at : code_.before(at);
    if (before == program::no_code || !code_.is_call(before)) return;
    auto caller = block_at(code_.address_of(before));
    if (caller && caller->function == to.function && caller->block + 1 == to.block)
      add_edge(to.function, caller->block, to.block, branch.count);
  }

  static void finish(CountedFunction& function) {
    sort_and_sum(function.edges, [](const Edge& edge) { return std::pair(edge.from, edge.to); });
    std::vector<u64> in(function.blocks.size()), out(function.blocks.size());
    for (const auto& edge : function.edges) {
      out[edge.from] = add_saturated(out[edge.from], edge.count);
      in[edge.to] = add_saturated(in[edge.to], edge.count);
    }
    for (u32 b = 0; b < function.blocks.size(); ++b) raise(function, b, std::max(in[b], out[b]));
  }

  const program::CodeMap& code_;
  const samples::Counts& counts_;
  BlockCounts result_;
  std::vector<Part> parts_;       // by address, once all are known
  std::vector<u64> starts_;       // of all blocks, by function
  std::vector<u32> first_start_;  // of each function, in starts_
  std::vector<Change> changes_;   // used again for each part
  std::vector<u64> ran_on_;
};

}  // namespace

Status check_block_map(const program::Program& program) {
  const auto& file = program.file();
  if (file.machine() != EM_X86_64 && file.machine() != EM_AARCH64)
    return fail("{}: clang lays blocks out for x86-64 and AArch64 alone", program.path());
  if (block_map::has_block_map(file)) return {};
  return fail(
      "{} has no map of its blocks: compile it with -fbasic-block-address-map (with LTO, link it "
      "with "
      "-Wl,--lto-basic-block-address-map), and record that",
      program.path());
}

Result<BlockCounts> count_blocks(const program::Program& program, const samples::Counts& counts) {
  TRY(check_block_map(program));
  BlockCounter counter(program.code(), counts);
  TRY_IN(program.path(),
         block_map::each_function(program.file(), [&](const auto& f) { counter.see(f); }));
  auto result = counter.finish();
  return result;
}

}  // namespace pgokit::block_layout
