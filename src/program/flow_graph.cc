#include "program/flow_graph.h"

#include <algorithm>

namespace pgokit::program {
namespace {

class Builder {
 public:
  Builder(const CodeMap& code, const FunctionTable& functions, u32 function)
      : code_(code), functions_(functions) {
    std::vector<FunctionRange> ranges(functions.ranges_of(function).begin(),
                                      functions.ranges_of(function).end());
    std::ranges::sort(ranges, {}, &FunctionRange::start);
    for (const auto& range : ranges) add_code(range);
  }

  FlowGraph build() && {
    std::ranges::sort(instructions_);
    auto same = std::ranges::unique(instructions_);
    instructions_.erase(same.begin(), same.end());
    find_leaders();
    cut_blocks();
    for (u32 i = 0; i < graph_.blocks.size(); ++i) add_ways(i);
    add_entries();
    return std::move(graph_);
  }

 private:
  // Up to where the next range starts: all graphs together are no larger than the code, even where
  // damaged debug information has functions in each other.
  void add_code(const FunctionRange& range) {
    bool entry = functions_.is_entry(range);
    auto next =
        std::ranges::upper_bound(functions_.ranges(), range.start, {}, &FunctionRange::start);
    u64 end = next == functions_.ranges().end() ? range.end : std::min(range.end, next->start);
    if (range.start < covered_) return;
    covered_ = std::max(end, range.start + 1);
    for (u64 at = range.start; at < end;) {
      auto index = code_.index_of({at});
      if (index == no_code) return;
      if (code_.is_instruction(index)) {
        if (entry) entries_.push_back(index);
        entry = false;
        instructions_.push_back(index);
        at += code_.length(index);
      } else {
        ++at;
      }
    }
  }

  bool ends_block(CodeIndex at) const { return code_.is_transfer(at) && !code_.is_call(at); }
  bool falls_on(CodeIndex at) const {
    return !code_.is_return(at) && !code_.is_jump(at) && !code_.is_indirect_jump(at);
  }

  // The target of a direct jump within the function; no_code for others.
  CodeIndex target_of(CodeIndex at) const {
    if (!ends_block(at) || code_.is_return(at) || code_.is_indirect_jump(at)) return no_code;
    auto target = code_.index_of(code_.direct_target(at));
    return std::ranges::binary_search(instructions_, target) ? target : no_code;
  }

  bool follows(size_t i) const {
    auto end = static_cast<u32>(instructions_[i]) + code_.length(instructions_[i]);
    return i + 1 < instructions_.size() && static_cast<u32>(instructions_[i + 1]) == end;
  }

  void find_leaders() {
    leaders_ = entries_;
    for (size_t i = 0; i < instructions_.size(); ++i) {
      CodeIndex at = instructions_[i];
      if (!ends_block(at)) {
        if (!follows(i) && i + 1 < instructions_.size()) leaders_.push_back(instructions_[i + 1]);
        continue;
      }
      if (i + 1 < instructions_.size()) leaders_.push_back(instructions_[i + 1]);
      if (auto target = target_of(at); target != no_code) leaders_.push_back(target);
    }
    if (!instructions_.empty()) leaders_.push_back(instructions_[0]);
    std::ranges::sort(leaders_);
    auto same = std::ranges::unique(leaders_);
    leaders_.erase(same.begin(), same.end());
    std::ranges::sort(entries_);
  }

  void cut_blocks() {
    auto leader = leaders_.begin();
    for (size_t i = 0; i < instructions_.size(); ++i) {
      CodeIndex at = instructions_[i];
      if (leader != leaders_.end() && *leader == at) {
        graph_.blocks.push_back({at, at, 0});
        last_of_block_.push_back(i);
        ++leader;
      }
      graph_.blocks.back().last = at;
      ++graph_.blocks.back().instructions;
      last_of_block_.back() = i;
    }
    entered_.assign(graph_.blocks.size(), false);
  }

  void add_way(u32 from, u32 to) {
    FlowGraph::Way way{from, to};
    if (!graph_.ways.empty() && graph_.ways.back() == way) return;
    graph_.ways.push_back(way);
    if (to != FlowGraph::outside) entered_[to] = true;
  }

  void add_ways(u32 block) {
    CodeIndex at = graph_.blocks[block].last;
    if (falls_on(at)) {
      bool inside = follows(last_of_block_[block]);
      add_way(block, inside ? block + 1 : FlowGraph::outside);
    }
    if (code_.is_indirect_jump(at)) indirect_.push_back(block);
    if (code_.is_return(at)) add_way(block, FlowGraph::outside);
    if (!ends_block(at) || code_.is_return(at) || code_.is_indirect_jump(at)) return;
    auto target = target_of(at);
    add_way(block, target == no_code ? FlowGraph::outside : graph_.block_of(target));
  }

  // What is left over is entered by indirect jumps, or else (landing pads) from outside.
  void add_entries() {
    std::vector<u32> unknown;
    for (u32 i = 0; i < graph_.blocks.size(); ++i) {
      if (std::ranges::binary_search(entries_, graph_.blocks[i].first))
        graph_.ways.push_back({FlowGraph::outside, i});
      else if (!entered_[i])
        unknown.push_back(i);
    }
    constexpr size_t most = 1 << 16;  // ways; a damaged file could ask for a square of its size
    bool known = unknown.empty() || unknown.size() * indirect_.size() > most;
    for (u32 from : indirect_) {
      if (known) graph_.ways.push_back({from, FlowGraph::outside});
      for (u32 to : unknown)
        if (!known) graph_.ways.push_back({from, to});
    }
    if (!indirect_.empty() && !known) return;
    for (u32 to : unknown) graph_.ways.push_back({FlowGraph::outside, to});
  }

  const CodeMap& code_;
  const FunctionTable& functions_;
  FlowGraph graph_;
  std::vector<CodeIndex> instructions_, leaders_, entries_;
  std::vector<size_t> last_of_block_;  // index into instructions_
  std::vector<u32> indirect_;          // blocks that end with an indirect jump
  std::vector<bool> entered_;
  u64 covered_ = 0;  // addresses below are done
};

}  // namespace

FlowGraph FlowGraph::of_function(const CodeMap& code, const FunctionTable& functions,
                                 u32 function) {
  return Builder(code, functions, function).build();
}

u32 FlowGraph::block_of(CodeIndex at) const {
  auto next = std::ranges::upper_bound(blocks, at, {}, &Block::first);
  if (next == blocks.begin()) return outside;
  const auto& block = *std::prev(next);
  return at <= block.last ? static_cast<u32>(std::prev(next) - blocks.begin()) : outside;
}

}  // namespace pgokit::program
